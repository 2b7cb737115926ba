#!/bin/sh
# Writes the constant script and style of pictures, or of pages, as C (src/core/picture/embedded.h) to standard output:
# fg_NAME_script, fg_NAME_style, fg_NAME_script_hash, fg_NAME_style_hash.
#
#   embed.sh NAME STYLE.css WORDS.txt PART.js...
#
# The last part is the program; those before it, if there are any, become its function viewer(svg, nr), one call of
# which is for one picture. What is hashed is what is embedded. Needs a POSIX shell, its tools and one program for SHA-256.
set -eu
LC_ALL=C
export LC_ALL

name=$1
style=$2
words=$3
shift 3

# The whole script as it is written; the parts before the last are one function.
script_source() {
    last=
    printf '(() => {\n'
    echo "$members" | awk 'NF {printf "const %s = \"%s\";\n", $2, $1}'
    [ $# -eq 1 ] || printf 'const viewer = (svg, nr) => {\n'
    for part; do
        [ -z "$last" ] || cat "$last"
        last=$part
    done
    [ $# -eq 1 ] || printf '};\n'
    cat "$last"
    printf '})();\n'
}

# "WORD SHORT" for each word of words.txt: the more often one is used, the shorter. A short name is a letter that no source
# uses by itself, or a capital and something else. Names of variables of functions are short names of others, too, where
# these are not used: each statement of the outermost level, as is a function, begins a line and is looked at by itself.
short_names() {
    sed '/^[[:space:]]*\/\//d' | awk '
        FILENAME != "-" {
            for (f = 1; f <= NF && $1 !~ /^[#.]/; f++) wanted[$f] = $1 == "-" ? 2 : 1
            next
        }
        /^[^\t })\]]/ {statement++}
        {
            line = $0
            while (match(line, /[A-Za-z0-9_$]+/)) {
                word = substr(line, RSTART, RLENGTH)
                before = substr(line, 1, RSTART - 1)
                line = substr(line, RSTART + RLENGTH)
                if (!times[word]++) list[++count] = word
                if (!seen[statement, word]++) places[word] = places[word] " " statement
                if (wanted[word] == 2 && before ~ /(^|[^.])\.$/) {
                    print "words.txt: " word " is a member, not a variable" | "cat >&2"
                    exit bad = 1
                }
            }
        }
        # Is a short name, or the one that has it, used in a statement where the word is?
        function clash(word, name,    p, n, s) {
            n = split(places[word], s, " ")
            for (p = 1; p <= n; p++)
                if ((s[p], name) in seen && wanted[name] != 2 || (s[p], name) in used) return 1
            return 0
        }
        function name_it(word, name,    p, n, s) {
            print word, name
            n = split(places[word], s, " ")
            for (p = 1; p <= n; p++) used[s[p], name] = 1
        }
        END {
            if (bad) exit 1
            letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            for (i = 2; i <= count; i++) {
                word = list[i]
                for (k = i; k > 1 && times[list[k - 1]] < times[word]; k--) list[k] = list[k - 1]
                list[k] = word
            }
            for (kind = 1; kind <= 2; kind++)
                for (w = 1; w <= count; w++) {
                    if (wanted[list[w]] != kind) continue
                    for (i = kind == 1 ? at : 0;; i++) {
                        first = i < 52 ? i : 26 + int((i - 52) / 62)
                        name = substr(letters, first + 1, 1) (i < 52 ? "" : substr(letters, (i - 52) % 62 + 1, 1))
                        if (kind == 1 ? !(name in times) || wanted[name] == 2 : !clash(list[w], name)) break
                    }
                    if (kind == 1) at = i + 1
                    name_it(list[w], name)
                }
        }' "$words" -
}

# "MEMBER SHORT" for the members of words.txt, those with a point in front: constants of the script have their names.
short_members() {
    awk -v FS='[ .]+' '/^\./ {for (f = 2; f <= NF; f++) printf "%s %s\n", $f, n++ == 0 ? "$" : n == 2 ? "_" : "$" substr("abcdefghijklmnopqrstuvwxyz", n - 2, 1)}' "$words"
}

# Without comments, without the blanks that stand beside punctuation, without the ends of lines and the semicolons that
# end nothing, with short names, and with one declaration for those that follow each other. Strings and regular
# expressions stay as they are; no literal goes over the end of a line. Every statement ends in a semicolon or a brace, and
# forEach is asked of arrays only.
stripped() {
    awk -v names="$1" -v members="$2" '
        BEGIN {
            count = split(members, list, /[ \n]/)
            for (m = 1; m < count; m += 2)
                member[list[m]] = list[m + 1]
            count = split(names, list, /[ \n]/)
            for (w = 1; w < count; w += 2)
                short[list[w]] = list[w + 1]
            short["const"] = "let"
            short["true"] = "!0"
            short["false"] = "!1"
            short["Infinity"] = "1/0"
            if ("map" in member) member["forEach"] = member["map"]
            short["forEach"] = "map"
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
                if (c == "}") sub(/;$/, "", out)
                if (index("([{", c)) depth++
                if (index(")]}", c)) depth--
                if (c ~ /["`]/ || (c == "/" && out ~ /(^|[(,=:!&|?{;>[])$/)) out = out literal()
                else if (match(substr(s, at), /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
                    c = substr(s, at, RLENGTH)
                    at += RLENGTH
                    if (c in member && out ~ /[^.?]\.$/) out = substr(out, 1, length(out) - 1) "[" member[c] "]"
                    else out = out (c in short ? short[c] : c)
                } else {
                    at++
                    if (c == "0" && out !~ /[A-Za-z0-9_$.]$/ && substr(s, at) ~ /^\.[0-9]/) continue
                    if (c != " " || (out ~ /[A-Za-z0-9_$]$/ && substr(s, at, 1) ~ /[A-Za-z0-9_$]/)) out = out c
                }
            }
            return out
        }
        # What has to stand between the line before and this one, of which it may take the beginning.
        function between() {
            if (ended && line !~ /^}/) {
                if (declared && sub(/^let ?/, "", line)) return ","
                width += length(line)
                if (width < 1000) return ";"
                width = 0
                return ";\n"
            }
            return last ~ /[A-Za-z0-9_$]/ && line ~ /^[A-Za-z0-9_$]/ ? " " : ""
        }
        # Functions of the outermost level are declared as the rest is.
        /^function [^(]*\(.*\) \{$/ {
            open_at = index($0, "(")
            arguments = substr($0, open_at + 1, length($0) - open_at - 3)
            if (arguments !~ /^[A-Za-z]+$/) arguments = "(" arguments ")"
            $0 = "const " substr($0, 10, open_at - 10) "=" arguments "=>{"
            in_function = 1
        }
        $0 == "}" && in_function {
            $0 = "};"
            in_function = 0
        }
        {sub(/^[ \t]+/, "")}
        /^\/\// || /^$/ {next}
        {
            s = $0
            start_depth = depth
            at = 1
            line = code("")
            if (line ~ /^let[ [{]/) declares[start_depth] = 1
            printf "%s", between()
            ended = sub(/;$/, "", line)
            declared = ended && declares[depth]
            if (ended) declares[depth] = 0
            last = substr(line, length(line))
            printf "%s", line
        }
        END {print ";"}'
}

script_text() { script_source "$@" | stripped "$names" "$members"; }

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

members=$(short_members)
names=$(script_source "$@" | short_names)

script_text "$@" | literal "fg_${name}_script"
style_text | literal "fg_${name}_style"
printf 'const char fg_%s_script_hash[] = "%s";\n' "$name" "$(script_text "$@" | digest)"
printf 'const char fg_%s_style_hash[] = "%s";\n' "$name" "$(style_text | digest)"
