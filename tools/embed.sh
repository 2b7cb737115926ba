#!/bin/sh
# Writes the C file of the constant script and style of pictures (src/core/picture/embedded.h) to standard output.
#
#   embed.sh STYLE.css WORDS.txt PART.js...
#
# The last part is the program; those before it become its function viewer(svg, nr), one call of which is for one
# picture. What is hashed is what is embedded. Needs a POSIX shell, awk and one program for SHA-256.
set -eu
LC_ALL=C
export LC_ALL

style=$1
words=$(grep -v '^#' "$2" | tr '\n' ' ')
shift 2

# Without comments, without the blanks that stand beside punctuation and the ends of lines that end nothing, and with
# short names for the words of words.txt. Strings and regular expressions stay as they are; no literal goes over the end
# of a line.
stripped() {
    awk -v words="$words" '
        BEGIN {
            count = split(words, list, " ")
            letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            split("_ $ $_ _$", prefix, " ")
            if (count > 208) exit 1
            for (w = 1; w <= count; w++)
                short[list[w]] = prefix[int((w + 51) / 52)] substr(letters, (w - 1) % 52 + 1, 1)
        }
        # All that follows reads the line "s" from "at" on.
        function literal(    start, q, c, class, out) {
            start = at
            q = substr(s, at, 1)
            for (at++; at <= length(s); at++) {
                c = substr(s, at, 1)
                if (c == "\\") at++
                else if (q == "/" && c == "[") class = 1
                else if (q == "/" && c == "]") class = 0
                else if (q == "`" && c == "$" && substr(s, at + 1, 1) == "{") {
                    out = out substr(s, start, at + 2 - start)
                    at += 2
                    out = out code("}")
                    start = at
                } else if (c == q && !class) break
            }
            at++
            return out substr(s, start, at - start)
        }
        # Up to the brace that ends the expression of a template, or to the end of the line.
        function code(end,    c, out, deep) {
            while (at <= length(s)) {
                c = substr(s, at, 1)
                if (c == "{") deep++
                if (c == "}" && end != "" && deep-- == 0) break
                if (c ~ /["`]/ || (c == "/" && out ~ /(^|[(,=:!&|?{;>[])$/)) out = out literal()
                else if (match(substr(s, at), /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
                    c = substr(s, at, RLENGTH)
                    at += RLENGTH
                    out = out (c in short ? short[c] : c)
                } else {
                    at++
                    if (c != " " || (out ~ /[A-Za-z0-9_$]$/ && substr(s, at, 1) ~ /[A-Za-z0-9_$]/)) out = out c
                }
            }
            return out
        }
        {sub(/^[ \t]+/, "")}
        /^\/\// || /^$/ {next}
        {
            s = $0
            at = 1
            line = code("")
            printf "%s%s", line, line ~ /[{(\[,;]$/ ? "" : "\n"
        }' "$@"
}

script_text() {
    last=
    printf '(() => {\nconst viewer = (svg, nr) => {\n'
    for part; do
        [ -z "$last" ] || stripped "$last"
        last=$part
    done
    printf '};\n'
    stripped "$last"
    printf '})();\n'
}

style_text() { awk '{sub(/^[ \t]+/, "")} /^\/\*.*\*\/$/ || /^$/ {next} {printf "%s", $0} END {print ""}' "$style"; }

hex_digest() {
    if command -v sha256sum >/dev/null; then
        sha256sum
    elif command -v shasum >/dev/null; then
        shasum -a 256
    else
        openssl dgst -sha256 -r
    fi
}

# Three digits of hex are two of base64; 64 digits leave one, which stands for four bits and a padding.
digest() {
    hex_digest | awk '{
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (i = 1; i <= 64; i += 3) {
            bits = 0
            for (j = i; j < i + 3; j++)
                bits = bits * 16 + (j > 64 ? 0 : index("0123456789abcdef", substr($1, j, 1)) - 1)
            text = text substr(alphabet, int(bits / 64) + 1, 1) substr(alphabet, bits % 64 + 1, 1)
        }
        print "sha256-" substr(text, 1, 43) "="
    }'
}

# Lines of C for what comes in; what is not plain ASCII or would end the element is refused.
literal() {
    awk -v name="$1" '
        /[^ -~]/ || /\]\]>/ || /<\// {print FILENAME ": line " NR " cannot be embedded: " $0 | "cat >&2"; bad = 1}
        NR == 1 {print "const char " name "[] ="}
        {gsub(/\\/, "&&"); gsub(/"/, "\\\\&"); gsub(/\?\?/, "?\"\"?"); print "\t\"" $0 "\\n\""}
        END {print "\t\"\";\n"; exit bad}'
}

echo "/* Made by tools/embed.sh; changes belong into src/core/picture/viewer. */"
echo "#include \"core/picture/embedded.h\""
echo
script_text "$@" | literal fg_viewer_script
style_text | literal fg_viewer_style
printf 'const char fg_viewer_script_hash[] = "%s";\n' "$(script_text "$@" | digest)"
printf 'const char fg_viewer_style_hash[] = "%s";\n' "$(style_text | digest)"
