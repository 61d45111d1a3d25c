//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis"
)

// A running mcpsim is one that was started as a process of its own.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{} // closed when it has ended
	out            string        // its result directory
}

// startRun starts mcpsim run. It is killed with the test, should it not end.
func startRun(t *testing.T, args ...string) *running {
	t.Helper()
	builtWorker(t)
	r := &running{out: filepath.Join(t.TempDir(), "out"), ended: make(chan struct{})}
	args = append([]string{"run", "--jobs", "2", "--controls=false", "--out", r.out}, args...)
	r.cmd = exec.Command("mcpsim", args...) // TestMain put it into the PATH
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	require.NoError(t, r.cmd.Start())
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait() // the tests look at ProcessState
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it has ended, unless the test failed
		<-r.ended
	})
	return r
}

const (
	patience = 2 * time.Minute // for what takes a second on a machine that has nothing else to do
	look     = 20 * time.Millisecond
)

// workers are its children, by number.
func (r *running) workers(t *testing.T) []*process.Process {
	t.Helper()
	parent, err := process.NewProcess(int32(r.cmd.Process.Pid))
	if err != nil {
		return nil
	}
	children, err := parent.Children()
	if errors.Is(err, process.ErrorNoChildren) {
		return nil
	}
	require.NoError(t, err)
	return children
}

// awaitWorlds waits until worlds have been counted, and returns the workers.
func (r *running) awaitWorlds(t *testing.T) []*process.Process {
	t.Helper()
	require.Eventually(t, func() bool {
		info, err := os.Stat(filepath.Join(r.out, "worlds.ndjson.zst.part"))
		return err == nil && info.Size() > 0 || r.hasEnded()
	}, patience, look, "no world was counted")
	return r.awaitWorkers(t)
}

// awaitWorkers waits until both are at work.
func (r *running) awaitWorkers(t *testing.T) (workers []*process.Process) {
	t.Helper()
	require.Eventually(t, func() bool {
		if r.hasEnded() {
			return true
		}
		workers = r.workers(t)
		return len(workers) == 2
	}, patience, look)
	require.Len(t, workers, 2, "%s%s", &r.stderr, &r.stdout)
	return workers
}

func (r *running) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

func (r *running) interrupt(t *testing.T) {
	t.Helper()
	require.NoError(t, r.cmd.Process.Signal(os.Interrupt))
}

func (r *running) awaitEnd(t *testing.T) {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		require.Fail(t, "it does not end")
	}
}

// assertGone makes sure that no worker outlives its parent.
func assertGone(t *testing.T, workers []*process.Process) {
	t.Helper()
	for _, w := range workers {
		assert.Eventually(t, func() bool {
			alive, err := w.IsRunning() // not fooled by a number that was given again
			status, serr := w.Status()
			return err == nil && !alive || serr == nil && len(status) == 1 && status[0] == process.Zombie
		}, patience, look, "worker %d is still there", w.Pid)
	}
}

// TestInterrupt ends a run in the middle: what was gathered counts, and is marked
// as being not all.
func TestInterrupt(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		code int
		last string // of the last line
	}{
		{"nothing was broken so far", []string{"cancel-storm", "--client", "reference", "--server", "reference", "--seeds", "0-999999"},
			exitFailed, "exit 3 (nothing broken so far, but stopped early: interrupted)"},
		{"what is broken stays broken", []string{"cancel-storm", "--seeds", "0-999999"},
			exitBroken, "exit 1 (a MUST was broken before the run stopped early)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := startRun(t, row.args...)
			workers := r.awaitWorlds(t)
			r.interrupt(t)
			r.awaitEnd(t)
			assert.Equal(t, row.code, r.cmd.ProcessState.ExitCode(), "%s%s", &r.stderr, &r.stdout)
			lines := bytes.Split(bytes.TrimSpace(r.stdout.Bytes()), []byte("\n"))
			last := string(lines[len(lines)-1])
			assert.Contains(t, last, "STOPPED")
			assert.Contains(t, last, row.last)
			assertPartial(t, r.out)
			assertGone(t, workers)
		})
	}
}

// assertPartial reads a result directory as any reader would.
func assertPartial(t *testing.T, dir string) {
	t.Helper()
	result, err := analysis.Open(dir)
	require.NoError(t, err)
	assert.Equal(t, analysis.Partial, result.Manifest.State)
	assert.Equal(t, "interrupted", result.Partial())
	summary, err := result.Summary()
	require.NoError(t, err)
	counted, listed := 0, 0
	for _, g := range summary.Groups {
		counted += g.Worlds
	}
	require.NoError(t, result.EachWorld(func(analysis.WorldLine) error { listed++; return nil }))
	assert.Positive(t, counted)
	assert.Equal(t, counted, listed, "the summary and the list are of the same worlds")
	for _, f := range summary.Findings {
		_, err := result.Page(f.ID)
		assert.NoError(t, err)
	}
	leftovers, err := filepath.Glob(filepath.Join(dir, "*.part*"))
	require.NoError(t, err)
	assert.Empty(t, leftovers, "nothing half-written stays")
}

// TestSecondInterrupt ends a run at once that would still wait for its worlds, and
// leaves a directory that is known to be unfinished.
func TestSecondInterrupt(t *testing.T) {
	r := startRun(t, "testdata/interrupt/endless.yaml", "--client", "reference", "--server", "reference", "--seeds", "0-9")
	workers := r.awaitWorkers(t)
	// The first one may be taken note of at any time after it was sent, so more are
	// sent until one is not the first.
	require.Eventually(t, func() bool {
		_ = r.cmd.Process.Signal(os.Interrupt) // it may have ended meanwhile
		return r.hasEnded()
	}, patience, look)
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.True(t, status.Signaled() && status.Signal() == syscall.SIGINT, "it ended by itself: %v\n%s%s", r.cmd.ProcessState, &r.stderr, &r.stdout)
	result, err := analysis.Open(r.out)
	require.NoError(t, err)
	assert.Equal(t, analysis.Partial, result.Manifest.State)
	assert.Contains(t, result.Partial(), "ended without finishing")
	assertGone(t, workers)
}

// TestInterruptAll ends a run of all scenarios in the middle of one: what was
// gathered of it counts, and the others are said not to have been reached.
func TestInterruptAll(t *testing.T) {
	r := startRun(t, "--all", "--client", "reference", "--server", "reference", "--seeds", "0-999999")
	require.Eventually(t, func() bool {
		info, err := os.Stat(filepath.Join(r.out, "abandoned-exchange", "worlds.ndjson.zst.part"))
		return err == nil && info.Size() > 0 || r.hasEnded()
	}, patience, look, "no world was counted")
	workers := r.awaitWorkers(t)
	r.interrupt(t)
	r.awaitEnd(t)
	assert.Equal(t, exitFailed, r.cmd.ProcessState.ExitCode(), "%s%s", &r.stderr, &r.stdout)
	assert.Contains(t, r.stdout.String(), "STOPPED")
	assert.Contains(t, r.stdout.String(), "-   not run: cancel-storm: not reached: interrupted")
	assert.Contains(t, r.stdout.String(), "exit 3 (nothing broken so far, but stopped early: interrupted)")
	assertGone(t, workers)
	assertPartial(t, filepath.Join(r.out, "abandoned-exchange"))
	result, err := analysis.Open(r.out)
	require.NoError(t, err)
	assert.Equal(t, "interrupted", result.Partial())
	again, err := analysis.StoredSweep(result)
	require.NoError(t, err)
	require.Len(t, again.Reports, 1)
	assert.Contains(t, r.stdout.String(), again.Decision.Line)
	leftovers, err := filepath.Glob(filepath.Join(r.out, "*.part*"))
	require.NoError(t, err)
	assert.Empty(t, leftovers)
}
