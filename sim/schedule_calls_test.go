package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim"
)

// many is a scenario with enough calls to count, and whatever a file adds.
const many = "name: many\nsummary: enough calls to count\nlimits: {horizon: 24h}\nhandlers: [{kind: chatty, every: 1ms, work: 10ms}]\n"

func TestRequestsAreDrawnByWeight(t *testing.T) {
	sc := parse(t, many+"load: {calls: 4000, requests: [{kind: tools/call, weight: 3}, {kind: ping}]}\ncancel: {share: 0.5}")
	plain := parse(t, many+"load: {calls: 4000}\ncancel: {share: 0.5}")
	pings, usual := 0, expand(t, plain, 3).Calls
	for i, c := range expand(t, sc, 3).Calls {
		if c.Method == "tools/call" {
			assert.Equal(t, usual[i], c, "what else is drawn does not depend on the kinds")
			continue
		}
		pings++
		assert.Equal(t, "ping", c.Method)
		assert.Empty(t, c.Handler+c.Tool, "no code of the application's answers")
		assert.Zero(t, c.Work+c.Every)
		assert.False(t, c.Progress)
		assert.Equal(t, usual[i].Cancel == nil, c.Cancel == nil)
	}
	assert.InDelta(t, 1000, pings, 100)
}

func TestOpenArrivals(t *testing.T) {
	sc := parse(t, many+"load: {arrivals: open, rate: 20/s, calls: 4000}")
	calls := expand(t, sc, 3).Calls
	before, short := time.Duration(0), 0
	for i, c := range calls {
		assert.Equal(t, i, c.Caller, "nobody waits for another's call")
		assert.Greater(t, c.Think, before)
		if c.Think-before < 50*time.Millisecond {
			short++
		}
		before = c.Think
	}
	assert.InDelta(t, (4000 / 20 * time.Second).Seconds(), before.Seconds(), 10)
	assert.InDelta(t, 4000*(1-1/2.718), short, 100, "intervals of a Poisson process: most are below the mean")
	longer := expand(t, parse(t, many+"load: {arrivals: open, rate: 20/s, calls: 5000}"), 3)
	assert.Equal(t, calls, longer.Calls[:4000], "more calls change nothing about the first")
}

func TestDeadlinesAreAShareOfTheCancels(t *testing.T) {
	without := expand(t, parse(t, many+"load: {calls: 4000}\ncancel: {share: 0.5}"), 3).Calls
	with := expand(t, parse(t, many+"load: {calls: 4000}\ncancel: {share: 0.5, timeouts: 0.3}"), 3).Calls
	deadlines := 0
	for i, c := range with {
		if c.Deadline {
			deadlines++
			assert.NotNil(t, c.Cancel, "who is left alone has no deadline")
		}
		c.Deadline = false
		assert.Equal(t, without[i], c, "at the same instants")
	}
	assert.InDelta(t, 600, deadlines, 75)
}

func TestAimsAreDrawnByWeight(t *testing.T) {
	sc := parse(t, many+`load: {calls: 4000}
cancel:
  share: 0.5
  when:
  - {event: issued, offset: 1ms}
  - {event: started, weight: 2, offset: {uniform: {min: 1ms, max: 2ms}}}
  - {event: ended, before: {uniform: {min: 1ms, max: 2ms}}}
`)
	counts := map[string]int{}
	for _, c := range expand(t, sc, 3).Calls {
		switch {
		case c.Cancel != nil:
			assert.Nil(t, c.Aim, "the issuing is no event that has to be waited for")
			assert.InDelta(t, time.Millisecond, *c.Cancel, 1000)
			counts[sim.AtIssued]++
		case c.Aim == nil:
			counts["none"]++
		case c.Aim.Event == sim.AtStarted:
			assert.True(t, c.Aim.Offset > time.Millisecond && c.Aim.Offset < 2*time.Millisecond+time.Microsecond, "%v", c.Aim.Offset)
			counts[c.Aim.Event]++
		default:
			assert.True(t, c.Aim.Offset < -time.Millisecond && c.Aim.Offset > -2*time.Millisecond-time.Microsecond, "%v", c.Aim.Offset)
			counts[c.Aim.Event]++
		}
	}
	for event, want := range map[string]int{"none": 2000, sim.AtIssued: 500, sim.AtStarted: 1000, sim.AtEnded: 500} {
		assert.InDelta(t, want, counts[event], 120, event)
	}
}
