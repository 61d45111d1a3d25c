package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/lease"
)

// poolOf is a pool of fake workers. When the test ends, none may be left.
func poolOf(t *testing.T, how string, jobs int) *Pool {
	t.Helper()
	t.Cleanup(func() { assertNoChildren(t) })
	return &Pool{Worker: fake(t, how), Setup: lease.Setup{Scenario: []byte(t.TempDir())}, Jobs: jobs, CPULimit: time.Second}
}

func assertNoChildren(t *testing.T) {
	t.Helper()
	self, err := process.NewProcess(int32(os.Getpid()))
	require.NoError(t, err)
	children, err := self.Children()
	if !errors.Is(err, process.ErrorNoChildren) {
		require.NoError(t, err)
	}
	assert.Empty(t, children, "a worker outlived its pool")
}

// leases yields worlds that are fine, but for those that odd names by their seed.
func leases(n uint64, odd map[uint64]string) []lease.Lease {
	out := make([]lease.Lease, n)
	for seed := range n {
		out[seed] = lease.Lease{Seed: seed, SpecVersion: fine}
		if how, ok := odd[seed]; ok {
			out[seed].SpecVersion = how
		}
	}
	return out
}

// outcomes runs the leases and returns what was delivered, by seed.
func outcomes(t *testing.T, p *Pool, leases []lease.Lease) map[uint64][]Outcome {
	t.Helper()
	out := map[uint64][]Outcome{}
	var mu sync.Mutex // guards out
	require.NoError(t, p.Run(t.Context(), slices.Values(leases), func(o Outcome) error {
		mu.Lock()
		defer mu.Unlock()
		out[o.Lease.Seed] = append(out[o.Lease.Seed], o)
		return nil
	}))
	return out
}

// TestPoolSurvivesItsWorlds puts one bad world among many good ones. Whatever it
// does, each world is delivered once, and the good ones with their own replies.
func TestPoolSurvivesItsWorlds(t *testing.T) {
	for _, row := range []struct {
		world    string
		dies     bool
		recurs   bool
		how      string // Death.How
		headline string // Death.Headline
	}{
		{world: fine},
		{world: dirty},
		{world: refused},
		{world: panics, dies: true, recurs: true, how: "panic", headline: "panic: boom"},
		{world: panicsOnce, dies: true, how: "panic", headline: "panic: "},
		{world: exits, dies: true, recurs: true, how: "exit status 7", headline: "exit status 7"},
		{world: leaves, dies: true, recurs: true, how: "exit status 0", headline: "exit status 0"},
		{world: spins, dies: true, recurs: true, how: "busy loop", headline: "busy loop"},
		{world: babbles, dies: true, recurs: true},
		{world: hollow, dies: true, recurs: true},
		{world: breaksOff, dies: true, recurs: true},
		{world: boasts, dies: true, recurs: true},
	} {
		for _, jobs := range []int{1, 2} {
			t.Run(row.world+" with jobs "+strconv.Itoa(jobs), func(t *testing.T) {
				const n, bad = 20, 7
				got := outcomes(t, poolOf(t, polite, jobs), leases(n, map[uint64]string{bad: row.world}))
				for seed := range uint64(n) {
					require.Len(t, got[seed], 1, "seed %d is delivered once", seed)
					if seed != bad {
						assert.Nil(t, got[seed][0].Death, "seed %d is not to blame", seed)
						assert.Equal(t, strconv.FormatUint(seed, 10), string(got[seed][0].Reply.World))
					}
				}
				death := got[bad][0].Death
				require.Equal(t, row.dies, death != nil)
				if death == nil {
					return
				}
				assert.Equal(t, row.recurs, death.Recurred)
				t.Logf("%s: %s", death.How, death.Headline())
				if row.how != "" {
					assert.Equal(t, row.how, death.How)
					assert.Contains(t, death.Headline(), row.headline)
				}
				if !row.recurs {
					assert.Equal(t, "7", string(got[bad][0].Reply.World), "the second run counts")
				}
			})
		}
	}
}

// TestLastWords: what a world said before it died twice is not lost.
func TestLastWords(t *testing.T) {
	got := outcomes(t, poolOf(t, polite, 1), leases(1, map[uint64]string{0: panics}))
	death := got[0][0].Death
	require.NotNil(t, death)
	assert.Equal(t, [][]byte{[]byte("one"), []byte("two")}, death.Events)
	assert.Contains(t, death.Stack()[1], "(*faker).Run(")
	assert.True(t, death.Names(modulePath+"/sim/engine"))
}

// TestPoolOfTheDead: every world kills its worker, on every seat.
func TestPoolOfTheDead(t *testing.T) {
	odd := map[uint64]string{}
	for seed := range uint64(12) {
		odd[seed] = []string{panics, exits, panicsOnce, breaksOff}[seed%4]
	}
	got := outcomes(t, poolOf(t, polite, 2), leases(12, odd))
	for seed := range uint64(12) {
		require.Len(t, got[seed], 1)
		assert.NotNil(t, got[seed][0].Death)
	}
}

// TestRefusedWorld: a world that cannot be run is the experiment's fault and kills
// nobody.
func TestRefusedWorld(t *testing.T) {
	out, err := poolOf(t, polite, 1).RunOne(t.Context(), lease.Lease{SpecVersion: refused})
	require.NoError(t, err)
	assert.Equal(t, "no such world", out.Reply.Error)
	assert.Nil(t, out.Death)
}

// TestWorkerThatDoesNotStart is an error that says what the worker said.
func TestWorkerThatDoesNotStart(t *testing.T) {
	for how, want := range map[string]string{
		silent: "the disk is on fire",
		rude:   "it greeted with a frame of kind",
		vague:  "read its greeting",
		stale:  "not a worker of this mcpsim",
		awake:  "not a worker of this mcpsim",
		stuck:  "busy loop before it greeted",
	} {
		t.Run(how, func(t *testing.T) {
			_, err := poolOf(t, how, 2).RunOne(t.Context(), lease.Lease{SpecVersion: fine})
			assert.ErrorContains(t, err, want)
		})
	}
	t.Run("missing", func(t *testing.T) {
		p := poolOf(t, polite, 2)
		p.Worker.Path += "-gone"
		_, err := p.RunOne(t.Context(), lease.Lease{SpecVersion: fine})
		assert.ErrorIs(t, err, os.ErrNotExist)
	})
}

// TestDeliverErrs ends the pool with the caller's own error.
func TestDeliverErrs(t *testing.T) {
	full := errors.New("the disk is full")
	err := poolOf(t, polite, 2).Run(t.Context(), slices.Values(leases(100, nil)), func(o Outcome) error {
		if o.Lease.Seed == 10 {
			return full
		}
		return nil
	})
	assert.ErrorIs(t, err, full)
}

// TestInterruptedPool delivers the worlds under way, each once, and stops.
func TestInterruptedPool(t *testing.T) {
	for _, row := range []struct {
		name string
		odd  map[uint64]string
	}{
		{"worlds that end", nil},
		{"worlds that die", map[uint64]string{1: panics, 2: panics, 3: panics, 4: panics}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			seen := map[uint64]int{}
			var mu sync.Mutex // guards seen
			err := poolOf(t, polite, 2).Run(ctx, endless(row.odd), func(o Outcome) error {
				mu.Lock()
				defer mu.Unlock()
				seen[o.Lease.Seed]++
				interrupt()
				return nil
			})
			require.ErrorIs(t, err, context.Canceled)
			assert.NotEmpty(t, seen)
			assert.LessOrEqual(t, len(seen), 2*window, "nothing new was begun")
			for seed, n := range seen {
				assert.Equal(t, 1, n, "seed %d", seed)
			}
		})
	}
}

// TestInterruptedWhileSpinning does not wait for a world that never ends, and
// accuses nobody of what the interrupt did.
func TestInterruptedWhileSpinning(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	p := poolOf(t, polite, 1)
	p.CPULimit = time.Hour
	began := filepath.Join(string(p.Setup.Scenario), spins)
	go func() {
		defer interrupt()
		assert.Eventually(t, func() bool {
			_, err := os.Stat(began)
			return err == nil
		}, time.Minute, 10*time.Millisecond)
	}()
	err := p.Run(ctx, slices.Values(leases(1, map[uint64]string{0: spins})), func(o Outcome) error {
		assert.Fail(t, "delivered", "%+v", o)
		return nil
	})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestInterruptedBeforeTheGreeting does not wait for a worker that never greets.
func TestInterruptedBeforeTheGreeting(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	p := poolOf(t, stuck, 1)
	p.CPULimit = time.Hour
	time.AfterFunc(50*time.Millisecond, interrupt) // whenever it is, it ends
	_, err := p.RunOne(ctx, lease.Lease{SpecVersion: fine})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = p.Worker.greeted(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// endless yields worlds for ever.
func endless(odd map[uint64]string) func(yield func(lease.Lease) bool) {
	return func(yield func(lease.Lease) bool) {
		for seed := uint64(0); ; seed++ {
			l := lease.Lease{Seed: seed, SpecVersion: fine}
			if how, ok := odd[seed]; ok {
				l.SpecVersion = how
			}
			if !yield(l) {
				return
			}
		}
	}
}
