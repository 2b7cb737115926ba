#!/bin/sh
# Writes the constant script and style of pictures, or of pages, as C (src/core/svg/embedded.h) to standard output:
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

# "MEMBER SHORT" for the members of words.txt, those with a point in front: constants of the script have their names.
short_members() {
    awk -v FS='[ .]+' '/^\./ {for (f = 2; f <= NF; f++) printf "%s %s\n", $f, n++ == 0 ? "$" : n == 2 ? "_" : "$" substr("abcdefghijklmnopqrstuvwxyz", n - 2, 1)}' "$words"
}

# Without comments, without the blanks that stand beside punctuation, without the ends of lines and the semicolons that
# end nothing, with short names, and with one declaration for those that follow each other. Strings and regular
# expressions stay as they are; no literal goes over the end of a line. Every statement ends in a semicolon or a brace, and
# forEach is asked of arrays only. A member whose name is that of a word of words.txt and has to stay is written in quotes,
# which it loses.
#
# Each word of words.txt has a short name: the more often it is used, the shorter. That is a letter that no source uses by
# itself, or a capital and something else. Names of variables of functions are found for each function anew, among
# those that it does not use: each statement of the outermost level, as is a function, begins a line.
stripped() {
    awk -v members="$1" '
        function fail(what) {
            print "words.txt: " what | "cat >&2"
            exit bad = 1
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
            while (q == "/" && substr(s, at) ~ /^[a-z]/) at++
            return out substr(s, start, at - start)
        }
        # Is what stands between these a member of an object that is written down, or taken apart?
        function is_member(before, behind) {
            return within == "{" && before ~ /(^|[{,])$/ &&
                (behind ~ /^(:|\(.*\) \{$)/ || (before != "" && behind ~ /^[,}=]/))
        }
        # Behind what it follows; without quotes where it is the name of a member.
        function quoted(out, text,    name) {
            name = substr(text, 2, length(text) - 2)
            if (text !~ /^"[A-Za-z_$][A-Za-z0-9_$]*"$/) return out text
            if (out ~ /[A-Za-z0-9_$)\]]\[$/ && out !~ /(^|[^A-Za-z0-9_$.])(return|of|in)\[$/ && substr(s, at, 1) == "]") {
                at++
                leave()
                return substr(out, 1, length(out) - 1) "." name
            }
            return out (within == "{" && out ~ /(^|[{,])$/ && substr(s, at, 1) ~ /[:(]/ ? name : text)
        }
        function word(out, name) {
            if (naming) {
                if (!times[name]++) list[++count] = name
                if (!seen[statement, name]++) {
                    uses[name] = uses[name] " " statement
                    found[statement] = found[statement] " " name
                }
                often[statement, name]++
                if (wanted[name] == 2 && (out ~ /(^|[^.])\.$/ || is_member(out, substr(s, at))))
                    fail(name " is a member, not a variable")
                if (wanted[name] == 2 && outermost &&
                    (length(brackets) == depth ? out ~ /^let( |.*,)$/ : out ~ /^let ?[{[][^]}]*$/))
                    fail(name " is a variable of all functions")
            }
            if (name in member && out ~ /[^.?]\.$/) return substr(out, 1, length(out) - 1) "[" member[name] "]"
            return out ((statement, name) in own ? own[statement, name] : name in short ? short[name] : name)
        }
        function enter(c) {
            brackets = brackets c
            within = c
        }
        function leave() {
            brackets = substr(brackets, 1, length(brackets) - 1)
            within = substr(brackets, length(brackets))
        }
        # Up to the brace that ends the expression of a template, or to the end of the line.
        function code(end,    c, out, deep) {
            while (at <= length(s)) {
                c = substr(s, at, 1)
                if (c == "{") deep++
                if (c == "}" && end != "" && deep-- == 0) break
                if (c == "}") sub(/;$/, "", out)
                if (index("([{", c)) enter(c)
                if (index(")]}", c)) leave()
                if (c == "\"") out = quoted(out, literal())
                else if (c == "`" || (c == "/" && out ~ /(^|[(,=:!&|?{;>[])$/)) out = out literal()
                else if (out !~ /[0-9]$/ && match(substr(s, at), /^[A-Za-z_$][A-Za-z0-9_$]*/)) {
                    c = substr(s, at, RLENGTH)
                    at += RLENGTH
                    out = word(out, c)
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
                if (width < 4000) return ";"
                width = 0
                return ";\n"
            }
            return last ~ /[A-Za-z0-9_$]/ && line ~ /^[A-Za-z0-9_$]/ ? " " : ""
        }
        function strip(    i) {
            statement = width = 0
            brackets = within = ""
            ended = declared = last = ""
            for (i = 1; i <= lines; i++) {
                s = source[i]
                statement += outermost = begins[i]
                depth = length(brackets)
                at = 1
                line = code("")
                if (naming) continue
                if (line ~ /^let[ [{]/) declares[depth] = 1
                printf "%s", between()
                ended = sub(/;$/, "", line)
                depth = length(brackets)
                declared = ended && declares[depth]
                if (ended) declares[depth] = 0
                last = substr(line, length(line))
                printf "%s", line
            }
            if (!naming) print ";"
        }
        # The next of all names: letters, then two of them.
        function name_at(i) {
            return i < 52 ? substr(letters, i + 1, 1) : \
                substr(letters, 27 + int((i - 52) / 62), 1) substr(letters, (i - 52) % 62 + 1, 1)
        }
        # Those of a list by their numbers, the largest first.
        function sorted(list, count, number,    i, k, name) {
            for (i = 2; i <= count; i++) {
                name = list[i]
                for (k = i; k > 1 && number[list[k - 1]] < number[name]; k--) list[k] = list[k - 1]
                list[k] = name
            }
        }
        # Names of all that is seen everywhere; names of variables of functions are no hindrance.
        function name_all(    w, at) {
            sorted(list, count, times)
            for (w = 1; w <= count; w++) {
                if (wanted[list[w]] != 1) continue
                while (name_at(at) in times && wanted[name_at(at)] != 2) at++
                short[list[w]] = name_at(at++)
            }
        }
        # Names of the variables of a function, beside all others that it uses.
        function name_own(f,    names, many, number, taken, w, at) {
            many = split(found[f], names, " ")
            for (w = 1; w <= many; w++) {
                number[names[w]] = often[f, names[w]]
                if (wanted[names[w]] != 2) taken[names[w] in short ? short[names[w]] : names[w]] = 1
            }
            sorted(names, many, number)
            for (w = 1; w <= many; w++) {
                if (wanted[names[w]] != 2) continue
                while (name_at(at) in taken) at++
                own[f, names[w]] = name_at(at++)
            }
        }
        BEGIN {
            letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            many = split(members, list, /[ \n]/)
            for (m = 1; m < many; m += 2) member[list[m]] = list[m + 1]
            short["const"] = "let"
            short["true"] = "!0"
            short["false"] = "!1"
            short["Infinity"] = "1/0"
            short["undefined"] = "void 0"
            if ("map" in member) member["forEach"] = member["map"]
            short["forEach"] = "map"
        }
        FILENAME != "-" {
            for (f = 1; f <= NF && $1 !~ /^[#.]/; f++) wanted[$f] = $1 == "-" ? 2 : 1
            next
        }
        /^[\t ]*\/\// || /^[\t ]*$/ {next}
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
        {
            begins[++lines] = /^[^\t })\]]/
            sub(/^[ \t]+/, "")
            source[lines] = $0
        }
        END {
            naming = 1
            strip()
            if (bad) exit 1
            naming = 0
            name_all()
            for (f in found) name_own(f)
            strip()
        }' "$words" -
}

script_text() { script_source "$@" | stripped "$members"; }

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

script_text "$@" | literal "fg_${name}_script"
style_text | literal "fg_${name}_style"
printf 'const char fg_%s_script_hash[] = "%s";\n' "$name" "$(script_text "$@" | digest)"
printf 'const char fg_%s_style_hash[] = "%s";\n' "$name" "$(style_text | digest)"
