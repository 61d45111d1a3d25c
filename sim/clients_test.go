package sim_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim"
)

const clients = many + "transport: streamable-http\ncancel: {share: 0.5, strays: [{kind: unknown, share: 0.5}]}\n"

// What one client does is what the first of several does, whatever the others do.
func TestMoreClientsChangeNothingAboutTheFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		load := rapid.SampledFrom([]string{"callers: 3", "arrivals: open, rate: 20/s"}).Draw(rt, "arrivals") + ", ids: [{kind: counting}, {kind: zero}, {kind: twins}]"
		seed := rapid.Uint64Max(1<<60).Draw(rt, "seed")
		one := expand(t, parse(t, clients+"load: {calls: 8, "+load+"}"), seed)
		several := expand(t, parse(t, clients+"load: {calls: 8, clients: 5, "+load+"}"), seed)
		assert.Nil(rt, one.Connects)
		assert.Len(rt, several.Connects, 5)
		for i, want := range one.Calls {
			assert.Zero(rt, want.Client)
			got := several.Calls[i]
			assert.Equal(rt, 1, got.Client)
			assert.Equal(rt, "p"+strconv.Itoa(i+1), got.Token, "which is what its own call gets")
			got.Client, got.Token = 0, ""
			assert.Equal(rt, want, got)
		}
	})
}

func TestEachClientHasItsCalls(t *testing.T) {
	s := expand(t, parse(t, clients+"load: {calls: 5, clients: 3, callers: 2, ids: [{kind: string}], tokens: reused}"), 7)
	assert.Len(t, s.Calls, 15)
	var groups [][]int
	for _, calls := range s.ByCaller() {
		var own []int
		for _, c := range calls {
			assert.Equal(t, calls[0].Client, c.Client)
			assert.Equal(t, calls[0].Caller, c.Caller)
			own = append(own, c.Call)
		}
		groups = append(groups, own)
	}
	assert.Equal(t, [][]int{{1, 3, 5}, {2, 4}, {6, 8, 10}, {7, 9}, {11, 13, 15}, {12, 14}}, groups)
	own := expand(t, parse(t, many+"transport: streamable-http\nload: {calls: 5, clients: 3}"), 7)
	for i, c := range own.Calls[:5] {
		assert.NotEmpty(t, c.Token)
		assert.Equal(t, c.Token, own.Calls[i+5].Token, "clients count their tokens, too")
	}
	for i, c := range s.Calls[:5] {
		other := s.Calls[i+5]
		assert.Equal(t, c.Mischief.ID, other.Mischief.ID, "clients know nothing of each other's ids")
		assert.Equal(t, c.Token, other.Token, "nor of their tokens")
		assert.NotEqual(t, c.Work, other.Work)
	}
}

func TestClientsConnectAtInstantsOfTheirOwn(t *testing.T) {
	atOnce := expand(t, parse(t, clients+"load: {clients: 50}"), 7).Connects
	assert.Less(t, slices.Max(atOnce), time.Microsecond)
	assert.Positive(t, slices.Min(atOnce))
	spread := expand(t, parse(t, clients+"load: {clients: 50, connect: {uniform: {min: 1s, max: 2s}}}"), 7).Connects
	assert.Greater(t, slices.Min(spread), time.Second)
	assert.Greater(t, slices.Max(spread)-slices.Min(spread), 500*time.Millisecond)
	more := expand(t, parse(t, clients+"load: {clients: 60, connect: {uniform: {min: 1s, max: 2s}}}"), 7).Connects
	assert.Equal(t, spread, more[:50], "more clients change nothing about the first")
}

func TestNestedCallsFollowThoseOfAllClients(t *testing.T) {
	sc := parse(t, "name: asks\nsummary: asks\ntransport: streamable-http\nload: {calls: 2, clients: 3}\n"+
		"handlers: [{kind: asking, work: 1s, asks: {kind: roots/list}}]\n")
	var numbers []int
	for _, c := range expand(t, sc, 1).Calls {
		numbers = append(numbers, c.Asks.Call)
	}
	assert.Equal(t, []int{7, 8, 9, 10, 11, 12}, numbers)
}

// Over HTTP there is no half-close, so that nobody draws one.
func TestEndsSuitTheirTransport(t *testing.T) {
	ways := func(transport string) []string {
		sc := parse(t, many+"transport: "+transport+"\nend: {how: any, at: 1s}")
		seen := map[string]bool{}
		for seed := range uint64(100) {
			if end := expand(t, sc, seed).End; end != nil {
				seen[end.How] = true
			}
		}
		var out []string
		for _, how := range sim.EndKinds() {
			if seen[how] {
				out = append(out, how)
			}
		}
		return out
	}
	assert.Equal(t, sim.EndKinds(), ways(sim.Stdio))
	assert.Equal(t, []string{sim.EndClose, sim.EndExit, sim.EndStop}, ways(sim.StreamableHTTP))
}
