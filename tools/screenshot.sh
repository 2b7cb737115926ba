#!/usr/bin/env bash
# Makes docs/pictures/night.png, the page of a night as a browser shows it, from what "make demo" wrote.
#
#   make demo && tools/screenshot.sh
#
# Needs Chromium and ImageMagick. Fonts differ between machines, so no test compares the bytes; look at the picture.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

page=$PWD/tmp/demo/night.html
picture=docs/pictures/night.png
[ -f "$page" ] || die "there is no $page: make demo writes it"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$profile" --window-size=1100,1280 \
    --screenshot="$profile/night.png" "file://$page" 2>/dev/null
convert "$profile/night.png" -strip -colors 48 "$picture"
echo "$picture: $(stat -c %s "$picture") bytes"
