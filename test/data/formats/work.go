// Work and garbage, recorded by Go's own profilers: work CPU-PROFILE HEAP-PROFILE
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"time"
)

type item struct {
	name string
	n    int
}

//go:noinline
func parse(s string) item {
	parts := strings.Split(s, "=")
	return item{parts[0], len(parts[1])}
}

func mix(a, b int) int { return a*31 + b }

func fib(n int) int {
	if n < 2 {
		return n
	}
	return mix(fib(n-1), fib(n-2))
}

//go:noinline
func load(n int) []item {
	var items []item
	for i := 0; i < n; i++ {
		items = append(items, parse(fmt.Sprintf("n%d=%d", i%13, i)))
	}
	sort.Slice(items, func(i, j int) bool { return items[i].name < items[j].name })
	return items
}

func main() {
	cpu, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(cpu)
	sum := 0
	for start := time.Now(); time.Since(start) < 1500*time.Millisecond; {
		sum += len(load(20000)) + fib(24)
	}
	pprof.StopCPUProfile()
	cpu.Close()
	runtime.GC()
	heap, _ := os.Create(os.Args[2])
	pprof.WriteHeapProfile(heap)
	heap.Close()
	fmt.Println(sum > 0)
}
