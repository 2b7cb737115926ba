#!/usr/bin/env bash
# Records the files of node, Java, Go, Ruby and C in this folder anew, and what fold.py makes of them:
#
#     ./record.sh
#
# Needs node 20, a JDK 17, Go, ruby with stackprof, gcc, gperftools (with google-pprof), jemalloc and python3, and the right to write to /srv/app: programs run there, so that the
# recordings hold no path of a machine.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
app=/srv/app
rm -rf "$app"
mkdir -p "$app"
cp "$here"/{Work.java,Work.jfc,app.js,parse.js,work.go,work.rb,work.c} "$app/"
cd "$app"

node --cpu-prof --cpu-prof-interval=1000 --cpu-prof-name=app.cpuprofile app.js >/dev/null
gzip -9 -n -c app.cpuprofile >"$here/app.cpuprofile.gz"
# V8 writes the profile twice, as a file and into the trace, where that of tracing itself is the second one.
node --cpu-prof --cpu-prof-interval=1000 --cpu-prof-name=own.cpuprofile \
    --trace-event-categories v8,disabled-by-default-v8.cpu_profiler --trace-event-file-pattern app.trace app.js >/dev/null
gzip -9 -n -c app.trace >"$here/app.trace.gz"
node --heap-prof --heap-prof-interval=4096 --heap-prof-name=app.heapprofile app.js >/dev/null
gzip -9 -n -c app.heapprofile >"$here/app.heapprofile.gz"

GO111MODULE=off go build -trimpath -o work work.go
./work "$here/go-cpu.pb.gz" "$here/go-heap.pb.gz" >/dev/null

for mode in 'cpu 1000' 'object 20000'; do
    read -r mode interval <<<"$mode"
    ruby work.rb "$mode" "$interval" "$mode.json"
    gzip -9 -n -c "$mode.json" >"$here/work.$mode.stackprof.gz"
done

gcc -O1 -g -fno-omit-frame-pointer -o served work.c
preload() { LD_PRELOAD=$(ldconfig -p | sed -n "s/.* => \(.*$1\)$/\1/p" | sed -n 1p) ./served "$2"; }
CPUPROFILE=cpu.prof CPUPROFILE_FREQUENCY=250 preload libprofiler.so.0 1000000
HEAPPROFILE=heap preload libtcmalloc.so.4 100000
MALLOC_CONF=prof:true,lg_prof_sample:12,prof_final:true,prof_prefix:jeprof preload libjemalloc.so.2 100000
google-pprof --raw ./served cpu.prof >cpu.raw
gzip -9 -n -c cpu.prof >"$here/work.cpu.gperftools.gz"
gzip -9 -n -c cpu.raw >"$here/work.raw.gperftools.gz"
gzip -9 -n -c heap.*.heap >"$here/work.heap.gperftools.gz"
gzip -9 -n -c jeprof.*.heap >"$here/work.heap.jemalloc.gz"

javac -g -d classes Work.java
java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints \
    -XX:StartFlightRecording:settings=profile,filename=work.jfr,jdk.FileRead#threshold=0ns,jdk.ThreadPark#threshold=1ms,jdk.JavaMonitorEnter#threshold=1ms \
    -XX:FlightRecorderOptions:stackdepth=24 -Xlog:jfr+startup=off -Xlog:jfr=off -Xmx64m -cp classes Work "$app/Work.java"
# The files that Java reads when it starts are different everywhere.
jfr print --json --stack-depth 64 --events \
    jdk.ExecutionSample,jdk.NativeMethodSample,jdk.ObjectAllocationSample,jdk.JavaMonitorEnter,jdk.ThreadPark,jdk.FileRead,jdk.JavaErrorThrow,jdk.GarbageCollection \
    work.jfr | sed -E 's#"path": "[^"]*"#"path": "file"#' | gzip -9 -n >"$here/work.jfr.json.gz"

# The binary file itself: only events that tell nothing of the machine.
java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints \
    -XX:StartFlightRecording:settings=Work.jfc,filename=binary.jfr -XX:FlightRecorderOptions:stackdepth=24 \
    -Xlog:jfr+startup=off -Xlog:jfr=off -Xmx64m -cp classes Work "$app/Work.java"
gzip -9 -n -c binary.jfr >"$here/binary.jfr.gz"
jfr print --json --stack-depth 2048 binary.jfr | gzip -n >binary.jfr.json.gz

cd "$here"
fold() { python3 fold.py "${@:2}" >"$1"; }
fold app.cpuprofile.folded cpuprofile app.cpuprofile.gz
fold app.trace.own.folded cpuprofile "$app/own.cpuprofile"
fold app.trace.folded trace app.trace.gz
fold work.cpu.stackprof.folded stackprof work.cpu.stackprof.gz
fold work.object.stackprof.folded stackprof work.object.stackprof.gz
fold work.cpu.gperftools.folded gperftools work.cpu.gperftools.gz --type cpu
fold work.raw.gperftools.folded gperftools work.raw.gperftools.gz --type samples
fold work.heap.gperftools.folded gperftools work.heap.gperftools.gz --type alloc_space
fold work.heap.jemalloc.folded gperftools work.heap.jemalloc.gz --type inuse_space
fold app.heapprofile.folded heapprofile app.heapprofile.gz
fold go-cpu.folded pprof go-cpu.pb.gz
fold go-cpu.samples.lines.folded pprof go-cpu.pb.gz --type samples --lines
fold go-heap.folded pprof go-heap.pb.gz
fold go-heap.alloc_space.folded pprof go-heap.pb.gz --type alloc_space
fold work.cpu.folded jfr work.jfr.json.gz --types ExecutionSample,NativeMethodSample
fold work.cpu.truncated.folded jfr work.jfr.json.gz --types ExecutionSample,NativeMethodSample --truncated
fold work.full.folded jfr work.jfr.json.gz --types ExecutionSample --threads --lines --modes
fold work.alloc.folded jfr work.jfr.json.gz --types ObjectAllocationSample
fold work.lock.folded jfr work.jfr.json.gz --types JavaMonitorEnter,ThreadPark
fold work.io.folded jfr work.jfr.json.gz --types FileRead
fold work.error.folded jfr work.jfr.json.gz --types JavaErrorThrow
# The JDK's own reader is the truth for ours.
binary=$app/binary.jfr.json.gz
fold binary.cpu.folded jfr "$binary" --types ExecutionSample
fold binary.cpu.truncated.folded jfr "$binary" --types ExecutionSample --truncated
fold binary.full.folded jfr "$binary" --types ExecutionSample --threads --lines --modes
fold binary.alloc.folded jfr "$binary" --types ObjectAllocationSample
fold binary.lock.folded jfr "$binary" --types JavaMonitorEnter,ThreadPark
fold binary.error.folded jfr "$binary" --types JavaErrorThrow
python3 samples.py jfr "$binary" | gzip -9 -n >binary.samples.gz
rm -rf "$app"
