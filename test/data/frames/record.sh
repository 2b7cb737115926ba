#!/usr/bin/env bash
# Makes the lists of names in this folder anew:
#
#     ./record.sh [FOLDER]            (default: the folder of this script)
#
# writes java.txt, java2.txt, java25.txt, node.txt, python.txt, python2.txt,
# cpp.txt and lines.txt into FOLDER. Needs a JDK 17, Node.js, perf, g++, Python
# 3 and the right to profile. What can be set:
#
#     JDK       where java, javac and jfr of 17 are    (default: those in PATH)
#     JDK25     the same of 25               (default: none, java25.txt is kept)
#     PYTHON2   another python3           (default: python3, beside /usr/bin's)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(cd "$out" && pwd)
jdk=${JDK:-$(dirname "$(command -v java)")}
python2=${PYTHON2:-python3}

work=$(mktemp -d "${TMPDIR:-/tmp}/frames.XXXXXX")
trap 'rm -rf "$work"; rm -f "${map:-}"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp "$here"/frames.* "$here/Frames.java" "$work/"
cd "$work"

pick() { python3 "$here/pick.py" "$@"; }

# To find nothing is no error.
look() { grep "$@" || [ $? -eq 1 ]; }

# --- Java: type and method name of all frames, of the forms that differ from
# --- run to run, and some of those that do not.
"$jdk/javac" -g -d classes Frames.java

# java_run BIN NAME [ARGUMENT]: NAME.frames has lines "name line"
java_run() {
    "$1/java" -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+ShowHiddenFrames \
        -XX:StartFlightRecording:settings=profile,filename="$2.jfr" -Xlog:disable \
        -cp classes Frames "${@:3}" >/dev/null 2>"$2.trace"
    "$1/jfr" print --json --stack-depth 100 --events jdk.ExecutionSample "$2.jfr" >"$2.json"
    python3 - "$2.json" >"$2.frames" <<'PY'
import json
import sys

for event in json.load(open(sys.argv[1]))["recording"]["events"]:
    for frame in (event["values"]["stackTrace"] or {"frames": []})["frames"]:
        method = frame["method"]
        print(f"{method['type']['name'].replace('/', '.')}.{method['name']}", frame["lineNumber"])
PY
}

# java_names NAME OTHER: of the forms that OTHER has as well
java_names() {
    cut -d' ' -f1 "$1.frames" | sort -u >"$1.all"
    cut -d' ' -f1 "$2.frames" | sort -u >"$2.all"
    {
        look -E '0x[0-9a-f]{4}|Proxy[0-9]|Accessor[0-9]' "$1.all" | pick -k 2 -n 60 -b "$2.all"
        look -E '0x[0-9a-f]{4}' "$1.all" | look -E 'DMH|Lambda[.$]' | pick -k 4 -n 20 -b "$2.all"
        look -E 'Holder|VarHandle|Species|Accessor|\$[0-9]' "$1.all" |
            look -vE '0x|Accessor[0-9]' | pick -n 8 -b "$2.all"
        look -E '^Frames' "$1.all" | look -v 'Lambda' | pick -n 12 -b "$2.all"
    } | sort -u | awk 'NR <= 60'
}

java_run "$jdk" java
java_run "$jdk" java2 reverse
java_names java java2 >"$out/java.txt"
java_names java2 java >"$out/java2.txt"
if [ -n "${JDK25:-}" ]; then
    java_run "$JDK25" java25
    java_names java25 java25 >"$out/java25.txt"
fi

# --- Node.js: the CPU profiler's call frames; perf with V8's map; the map itself.
node --cpu-prof --cpu-prof-dir=cpu frames.js 3000
cat >cpu.js <<'JS'
// callFrame has lines and columns from 0, and -1 where there is none.
const fs = require('fs');
for (const file of fs.readdirSync('cpu')) {
  for (const { callFrame: f } of JSON.parse(fs.readFileSync('cpu/' + file)).nodes) {
    const name = f.functionName || '(anonymous)';
    console.log(f.lineNumber < 0 ? name : `${name} ${f.url}:${f.lineNumber + 1}:${f.columnNumber + 1}`);
  }
}
JS
node cpu.js | sed -E "s#(file://)?$work/##" | sort -u >node.cpuprof
perf record -q -e cpu-clock -F 999 -g --no-buildid-cache -o node.data \
    node --perf-basic-prof --interpreted-frames-native-stack frames.js 3000 >/dev/null 2>&1
pid=$(perf script -i node.data -F pid 2>/dev/null | sort -n | awk '$1 && !pid { pid = $1 } END { print pid }')
map=/tmp/perf-$pid.map
perf script -i node.data -F ip,sym 2>/dev/null | sed -E "s/^\s+[0-9a-f]+ //; s#$work/##" |
    look -E '^(JS|RegExp|Eval|Script|Builtin|Byte)' | sort -u >node.perf
cut -d' ' -f3- "$map" | sed -E "s#$work/##" | sort -u >node.map
node frames.js trace | sed -E "s#$work/##g; s/^ +//" | sort -u >node.trace
{
    look -v node: node.cpuprof | pick -n 20
    look -E 'inVm|RegExp|inFile|get area|evaluated' node.cpuprof
    grep node: node.cpuprof | pick -n 6
    look -E '^JS:.*frames\.js' node.perf | pick -n 11
    look -E '^JS:' node.perf | look -v 'frames\.js' | pick -n 7
    look -E '^RegExp' node.perf node.map -h | pick -n 3
    look -E '^Builtins_' node.perf | pick -n 4
    look -E '^(Eval|Script):.*(frames|evalm|rules| :1)' node.map | pick -n 3
    look -E '^Builtin:' node.map | pick -n 2
    look -E '^BytecodeHandler:' node.map | pick -n 1
} | sort -u >"$out/node.txt"

# --- Python, two of them: python.txt is /usr/bin's.
python_names() {
    for kind in sampler lines cprofile names trace; do
        "$1" frames.py "$kind" 2>/dev/null | sort -u >"py.$kind"
    done
    {
        look -E 'frames\.py|<' py.sampler | pick -n 7
        look -vE 'frames\.py|<' py.sampler | pick -n 4
        look -E ":<(lambda|listcomp|dictcomp)>|<(string|template).*:(generated|root)" py.sampler | pick -n 5
        look -E "builtins\.exec|'append' of 'list'|<lambda>" py.cprofile | pick -n 4
        look -E '<lambda>|\((work|step)\)|_0$|Main|mailer|partial' py.names | pick -n 9
        look -E '^[{<]' py.cprofile | pick -n 7
        look -E 'frames\.py' py.cprofile | pick -n 4
        look -E '0x' py.names | pick -n 18
        look -vE '0x' py.names | pick -n 6
    } | sort -u | awk 'NR <= 60'
}
python_names "$python2" >"$out/python2.txt"
python_names /usr/bin/python3 >"$out/python.txt"

# --- C++. Without a build id perf would not know the stripped program for the other.
g++ -std=c++17 -O2 -g -fno-omit-frame-pointer -pthread -Wl,--build-id=none -o frames_cpp frames.cpp
strip -o frames_stripped frames_cpp
for program in frames_cpp frames_stripped; do
    perf record -q -e cpu-clock -F 1999 -g --no-buildid-cache -o "$program.data" "./$program" 16000 >/dev/null 2>&1
done
script() { perf script --no-inline -i "$1.data" -F ip,sym"${2:-}" "${@:3}" 2>/dev/null | sed -nE 's/^\s+[0-9a-f]+ (.*)$/\1/p'; }
script frames_cpp >cpp.plain
script frames_cpp ,symoff >cpp.offsets
script frames_cpp '' --no-demangle >cpp.mangled
nm frames_cpp | cut -d' ' -f3 | look -E '\.(cold|isra|constprop|part)\b' >cpp.nm
nm -C frames_cpp | grep 'clone' | cut -d' ' -f3- >cpp.nmc
own='Vector|Shape|Square|Hidden|lambda|apply|spin|scaled|narrow|guarded|checked|total|library|^work|^main'
{
    look -E "$own" cpp.plain | sort | uniq -c | sort -rn | sed -E 's/^ *[0-9]+ //' | awk 'NR <= 40' | pick -n 12 -l 260
    look -E '^geometry.*(operator|as<|area)|^(apply<|total<|scaled|work)' cpp.plain | pick -n 10 -l 120
    look -E '\.(cold|isra|constprop|part|llvm|lto)' cpp.plain | pick -n 6
    look -E '@' cpp.plain | pick -n 5
    look -E 'std::|operator|__gnu' cpp.plain | look -vE "$own" | pick -n 6 -l 160
    look -E '^(do_syscall_64|entry_SYSCALL_64_after_hwframe|asm_exc_page_fault|vfs_write|__GI___libc_open|malloc|__memset.*)$' cpp.plain | pick -n 5
    look -E '^(spin|work|scaled|lambdas|do_syscall_64|malloc)\+' cpp.offsets | pick -k 2 -n 5
    look -E '^_Z.*\.(isra|constprop|part|cold)|^_ZNK?8geometry' cpp.mangled | pick -n 6 -l 120
    look -E 'scaled|narrow|guarded|checked|total|main|library' cpp.nm | pick -n 6 -l 120
    look -E 'scaled|narrow|guarded|checked|total|library|as<|lambda' cpp.nmc | pick -n 6 -l 160
    script frames_stripped | grep unknown | pick -n 1
    perf report -i frames_stripped.data --stdio --no-children -g none -F sym 2>/dev/null |
        sed -nE 's/^ *\[\.\] (0x[0-9a-f]+).*/\1/p' | pick -k 3 -n 3
} | sort -u | awk 'NR <= 60' >"$out/cpp.txt"

# --- Frames that end in a line.
{
    look -E '^(Frames|java.util.Comparator.lambda|java.util.TimSort|java.lang.invoke|jdk.internal.reflect)' java.frames |
        awk '$2 > 0 { print $1 ":" $2 }' | pick -n 8
    look -E '^\s+at ' java.trace | sed -E 's/^\s+//' | pick -n 6
    pick -n 7 <py.lines
    pick -n 1 <py.trace
    look -E 'frames\.js|<|rules' node.cpuprof | pick -n 5
    pick -n 12 <node.trace
} | sort -u >"$out/lines.txt"

cd "$out"
wc -l ./*.txt
# Nothing of this machine may stay.
if grep -nE "$work|/root|/home|/tmp" ./*.txt; then
    echo "names with a path of this machine" >&2
    exit 1
fi
