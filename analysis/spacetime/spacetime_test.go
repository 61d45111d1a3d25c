package spacetime

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

func TestOptionsChooseTheCall(t *testing.T) {
	four, _ := checkpointLate()
	one, _ := sameInstant()
	f1 := Finding{ID: "F1", Violation: oracle.Violation{Call: 3}}
	for _, tt := range []struct {
		why  string
		b    *builder
		opts Options
		want int
	}{
		{"nothing said of a world of four: all", four, Options{}, 0},
		{"nothing said of a world of one: that one", one, Options{}, 1},
		{"the finding's own call", four, Options{Finding: f1}, 3},
		{"what was asked for beats the finding", four, Options{Finding: f1, Call: 2}, 2},
		{"all beats both", four, Options{Finding: f1, Call: 2, All: true}, 0},
		{"a finding without a call, a leak say: all", one, Options{Finding: Finding{ID: "F1"}}, 0},
	} {
		assert.Equal(t, tt.want, tt.opts.call(tt.b.h), tt.why)
	}
}

func TestFindingOfAnotherHistoryIsNotMarked(t *testing.T) {
	b, v := checkpointLate()
	assert.Contains(t, Render(b.h, b.j, Options{Finding: Finding{"F1", v}}), "F1 +11.025 ms")
	v.Events = []int{1, 2}
	assert.NotContains(t, Render(b.h, b.j, Options{Finding: Finding{"F1", v}}), "F1",
		"the events of a history that the SDK no longer shows say nothing here")
}

func TestOneCallShowsNoOther(t *testing.T) {
	b, v := overlapping()
	text := Render(b.h, b.j, Options{Finding: Finding{"F1", v}})
	for _, other := range []string{"tools/call 2", "tools/call 3", "cancelled 4", "initialize"} {
		assert.NotContains(t, text, other)
	}
	assert.Contains(t, text, "tools/call 5")
}

// Ids decide nothing: renaming them moves no step and no mark.
func TestCallsAreFoundWithoutTheirNumbersOnEvents(t *testing.T) {
	b, v := overlapping()
	want := Render(b.h, b.j, Options{Finding: Finding{"F1", v}})
	for i, e := range b.h.Events {
		if e.Frame != 0 {
			b.h.Events[i].Call = 0
		}
	}
	assert.Equal(t, want, Render(b.h, b.j, Options{Finding: Finding{"F1", v}}), "the messages' ids tell whose they are")
}

func TestSequenceNotesTheOffence(t *testing.T) {
	b, v := checkpointLate()
	var noted []Step
	for _, s := range Sequence(b.h, b.j, v.Call, v) {
		if s.Note != "" {
			noted = append(noted, s)
		}
	}
	assert.Equal(t, []Step{{At: 80825 * time.Microsecond, Who: "server",
		What: `→ {"id":103,"error":{"code":0,"message":"context canceled"}}`,
		Note: "11.025 ms after the cancel was read"}}, noted)
}

func TestStoryIsBounded(t *testing.T) {
	b := newWorld("2026-07-28", "cooperative")
	for i := range 500 {
		b.at(float64(i)).client("cancel", 1, "cancel")
	}
	text := Story(b.h, b.j, 0, oracle.Violation{Events: []int{300}, What: "this one"})
	assert.Less(t, strings.Count(text, "\n"), maxStory+5)
	assert.Contains(t, text, "440 more steps")
	assert.Contains(t, text, "this one", "what convicts is never left out")
}

func TestDurations(t *testing.T) {
	for _, tt := range []struct {
		d            time.Duration
		short, exact string
	}{
		{0, "0 s", "0 ns"},
		{412, "412 ns", "412 ns"},
		{1234, "1.23 µs", "0.001 ms"},
		{6705 * time.Microsecond, "6.71 ms", "6.705 ms"},
		{44304 * time.Microsecond, "44.3 ms", "44.304 ms"},
		{20 * time.Millisecond, "20 ms", "20.000 ms"},
		{100 * time.Second, "100 s", "100000.000 ms"},
	} {
		assert.Equal(t, tt.short, short(tt.d))
		assert.Equal(t, tt.exact, exact(tt.d))
	}
}

func TestInstantsCloserThanTheColumnShows(t *testing.T) {
	b := newWorld("2026-07-28", "cooperative")
	b.at(1).client(history.Issue, 1, "")
	b.at(1.0002).client(history.Cancel, 1, "cancel")
	b.client(history.Return, 1, "context canceled")
	assert.Contains(t, Render(b.h, b.j, Options{}), `
   0.000   caller calls "cooperative"
 +200 ns   caller cancels
           caller returns: context canceled
`)
}

func TestFoldStack(t *testing.T) {
	assert.Equal(t, []string{
		"   github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).processResult",
		"   github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).handleAsync",
		"   … 2 more …",
		"   created by github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).acceptRequest in goroutine 17",
	}, foldStack(panicReport))
	assert.Empty(t, foldStack("fatal error: all goroutines are asleep"), "a report without a stack")
}

// TestMarginCountsFromTheCancel: what does not count its lateness from the reading of
// the cancel to the event shown must not be told as if it did.
func TestMarginCountsFromTheCancel(t *testing.T) {
	b, v := checkpointLate()
	assert.Contains(t, Story(b.h, b.j, v.Call, v), " after the cancel was read")
	v.Lateness++
	story := Story(b.h, b.j, v.Call, v)
	assert.NotContains(t, story, " after the cancel was read")
	assert.Contains(t, story, "↑ "+v.What[:20], "its own words instead")
}
