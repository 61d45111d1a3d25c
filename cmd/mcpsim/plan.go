package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim"
)

// A plan is which seeds a run takes, and what may end it before they are out.
type plan struct {
	seeds  sim.Seeds
	drawn  bool          // --seeds random
	open   bool          // no seeds were named: the time decides how many
	budget time.Duration // for new seeds, from the first one on; 0: no bound

	first time.Time // when the first seed was handed out
	last  uint64    // the seed that was handed out last
	taken int       // how many were
	ended string    // why the run ended before all seeds were taken
}

const (
	defaultSeeds = "0-999"
	drawnSeeds   = 1000 // how many --seeds random takes
	drawBelow    = 1e12 // where a draw begins: short enough to be typed, and two draws hardly ever meet
	randomSeeds  = "random"
)

// leastSeeds is how many seeds are run at least where none are named.
const leastSeeds = 10

// seedsFor returns which seeds to run where none are named: a world of n clients does
// the work of n.
func seedsFor(clients int) string {
	if clients < 2 {
		return defaultSeeds
	}
	return fmt.Sprintf("0-%d", max(leastSeeds, drawnSeeds/clients)-1)
}

// planned reads --seeds, which may have been given by the user, and --for.
func planned(seeds string, given bool, budget time.Duration) (plan, error) {
	p := plan{budget: budget}
	if budget < 0 {
		return p, fmt.Errorf("--for %s: it is how long to go on, such as 10m", budget)
	}
	var err error
	kind, count, counted := strings.Cut(seeds, ":")
	switch {
	case kind == randomSeeds:
		p.drawn, p.open = true, budget > 0 && !counted
		seeds, err = p.draw(count, counted)
	case !given && budget > 0:
		p.open, seeds = true, fmt.Sprintf("0-%d", sim.MaxSeeds-1)
	}
	if err != nil {
		return p, err
	}
	if p.seeds, err = sim.ParseSeeds(seeds); err != nil {
		return p, fmt.Errorf("--seeds %w", err)
	}
	return p, nil
}

// draw writes out a range that begins anywhere.
func (p *plan) draw(count string, counted bool) (string, error) {
	n := drawnSeeds
	if p.open {
		n = sim.MaxSeeds
	}
	if counted {
		var err error
		if n, err = strconv.Atoi(count); err != nil || n < 1 || n > sim.MaxSeeds {
			return "", fmt.Errorf("--seeds random:%s: write how many behind the colon, from 1 to %d", count, sim.MaxSeeds)
		}
	}
	first := rand.Uint64N(drawBelow)
	return fmt.Sprintf("%d-%d", first, first+uint64(n)-1), nil
}

// String names the seeds before they are run.
func (p *plan) String() string {
	text := "seeds " + p.seeds.String()
	if p.open {
		first, _, _ := strings.Cut(p.seeds.String(), "-")
		text = "seeds from " + first + " on"
	}
	if p.budget > 0 {
		text += " for " + p.budget.String()
	}
	return text
}

// total is how many seeds there are, 0 where time decides.
func (p *plan) total() int {
	if p.open {
		return 0
	}
	return p.seeds.Count()
}

// take notes that a seed is handed out. It reports false when the time is up;
// one seed is always taken.
func (p *plan) take(seed uint64, now time.Time) bool {
	if p.taken == 0 {
		p.first = now
	} else if p.budget > 0 && now.Sub(p.first) >= p.budget {
		p.ended = "when its " + p.budget.String() + " were over"
		return false
	}
	p.last = seed
	p.taken++
	return true
}

// typed is the command line with drawn seeds written out, so that it runs the same
// worlds again.
func (p *plan) typed(args []string) []string {
	out := append([]string(nil), args...)
	for i, a := range out {
		switch {
		case !p.drawn:
		case i > 0 && out[i-1] == "--seeds":
			out[i] = p.seeds.String()
		case strings.HasPrefix(a, "--seeds="):
			out[i] = "--seeds=" + p.seeds.String()
		}
	}
	return out
}
