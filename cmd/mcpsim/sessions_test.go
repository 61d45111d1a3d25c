package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
)

// BenchmarkSessions measures worlds of one server with many sessions, each in a process
// of its own: seconds, and how much memory a session takes when all of them are there,
// the history included. Memory is told on Linux alone.
//
//	go test -run - -bench Sessions -benchtime 3x ./cmd/mcpsim
func BenchmarkSessions(b *testing.B) {
	worker := builtWorker(b)
	for _, version := range bothVersions() {
		_, small := sessions(b, worker, 2, version)
		for _, n := range []int{200, 1000} {
			b.Run(fmt.Sprintf("%s/%d", version, n), func(b *testing.B) {
				var peak, events int
				before := childrensCPU(b)
				for b.Loop() {
					h, bytes := sessions(b, worker, n, version)
					peak, events = max(peak, bytes), len(h.Events)
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/world")
				b.ReportMetric((childrensCPU(b)-before).Seconds()/float64(b.N), "cpu-s/world")
				b.ReportMetric(float64(peak-small)/float64(n), "B/session")
				b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
				b.ReportMetric(float64(events), "events")
			})
		}
	}
}

// sessions runs a world with so many sessions, and returns its history and how many bytes
// of memory the worker had at most.
func sessions(b *testing.B, worker engine.Worker, n int, version string) (*history.History, int) {
	e := loaded(b, "testdata/bench/sessions.yaml", choice{client: "go-sdk", server: "go-sdk", specVersions: []string{version}})
	e.scenario.Load.Clients = n
	watch := watchChildren()
	h, err := e.runOne(b.Context(), worker, 1)
	peak := watch()
	require.NoError(b, err)
	return h, peak
}

// watchChildren watches the memory of the processes that this one starts, until the
// function that it returns is called, which returns the most that one had, in bytes; 0
// where the system does not tell.
func watchChildren() (peak func() int) {
	over, most := make(chan struct{}), make(chan int)
	go func() {
		peak := 0
		for {
			select {
			case <-over:
				most <- peak
				return
			case <-time.After(10 * time.Millisecond):
				peak = max(peak, childrensPeak())
			}
		}
	}()
	return func() int {
		close(over)
		return <-most
	}
}

// childrensPeak is the most that one of the processes has had that this one has started
// and that are there, in bytes.
func childrensPeak() (peak int) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	for _, task := range tasks {
		// What has ended meanwhile has no files any more.
		children, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for _, pid := range strings.Fields(string(children)) {
			status, _ := os.ReadFile("/proc/" + pid + "/status")
			peak = max(peak, highWater(string(status)))
		}
	}
	return peak
}

func highWater(status string) int {
	_, rest, _ := strings.Cut(status, "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		return 0
	}
	return kib << 10
}
