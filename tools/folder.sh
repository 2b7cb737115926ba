# shellcheck shell=bash
# Sourced by matrix.sh and packages.sh: another release of Debian in a folder, made with debootstrap. Takes root.
#
# Its programs see processes, /tmp and /dev/shm of their own; what is mounted there vanishes with the last of them,
# however the run ends. Packages come from where those of this machine do.

# Debian's mirror that this machine uses itself.
mirror() {
    # shellcheck disable=SC2016 # apt-get expands it
    apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk '$1 == "Debian" && $2 == "main" && !found {print $3; found = 1}'
}

# Mounts and processes are of a namespace of their own, which ends with its first process, and that with this script.
in_namespace() {
    setpriv --pdeathsig KILL -- unshare --mount --pid --fork --kill-child --propagation private -- "$@"
}

# in_folder FOLDER COMMAND ...: with /proc, /sys, /dev and a /tmp, and nothing of our environment
in_folder() {
    local folder=$1
    shift
    # shellcheck disable=SC2016 # for the inner shell
    in_namespace sh -euc '
        folder=$1
        shift
        mount -t proc proc "$folder/proc"
        mount -t sysfs -o ro sysfs "$folder/sys" || true
        mount --rbind /dev "$folder/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$folder/dev/shm"
        exec chroot "$folder" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
    ' sh "$folder" "$@" </dev/null
}

# The least that makes a Debian, and make, which the two commands begin with.
make_folder() {
    local folder=$1 release=$2 from
    command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
    from=$(mirror)
    [ -n "$from" ] || die "no mirror of Debian in the lists of apt; run apt-get update"
    rm -rf "$folder.new"
    in_namespace debootstrap --variant=minbase --include=ca-certificates,make "$release" "$folder.new" "$from" \
        >"$folder.log" 2>&1 </dev/null || die "debootstrap failed; see $folder.log"
    # What this machine was told about reaching the mirror; and no server is started just because it was installed.
    apt-config dump | grep -E '^Acquire::(Check|http|https)' >"$folder.new/etc/apt/apt.conf.d/99host" || true
    cp /etc/hosts "$folder.new/etc/hosts"
    printf '#!/bin/sh\nexit 101\n' >"$folder.new/usr/sbin/policy-rc.d"
    chmod 755 "$folder.new/usr/sbin/policy-rc.d"
    rm -rf "$folder"
    mv "$folder.new" "$folder"
}

# have_folder FOLDER RELEASE [NEW]: makes it where there is none, and anew when NEW is not empty
have_folder() {
    [ "$(id -u)" -eq 0 ] || die "a release of Debian in a folder takes root"
    if [ -z "${3:-}" ] && [ -e "$1/etc/debian_version" ]; then return; fi
    say "$2: debootstrap to $1"
    make_folder "$1" "$2"
}

# fresh_clone FOLDER: of HEAD, in the place of an old one
# shellcheck disable=SC2154 # $top is set by common.sh
fresh_clone() {
    rm -rf "$1"
    mkdir -p "$(dirname "$1")"
    git clone -q "file://$top" "$1"
    git -C "$1" checkout -q --detach "$(git rev-parse HEAD)"
}
