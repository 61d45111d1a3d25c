package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// TestFaultLog: what was drawn has struck if the client came to feel it.
func TestFaultLog(t *testing.T) {
	fault := func(exchange int, kind string) history.Event {
		return history.Event{Side: history.World, Kind: history.Fault, Exchange: exchange, Text: kind}
	}
	client := func(exchange int, kind history.Kind, text string, status int) history.Event {
		e := history.Event{Side: history.Client, Kind: kind, Exchange: exchange, Text: text}
		if status > 0 {
			e.HTTP = &history.HTTPHead{Status: status}
		}
		return e
	}
	for _, c := range []struct {
		why    string
		events []history.Event
		want   []FaultCount
	}{
		{"none", []history.Event{client(1, history.Finish, "", 0)}, nil},
		{"it broke", []history.Event{fault(1, "cut"), client(1, history.Status, "", 200), client(1, history.Finish, "unexpected EOF", 0)},
			[]FaultCount{{"cut", 1, 1}}},
		{"it was over by then", []history.Event{fault(1, "cut"), client(1, history.Finish, "", 0)}, []FaultCount{{"cut", 1, 0}}},
		{"a connection broke, and the client was first with one of its exchanges",
			[]history.Event{fault(1, "drop"), fault(2, "drop"), client(1, history.Drop, "", 0), client(2, history.Finish, "EOF", 0)},
			[]FaultCount{{"drop", 2, 2}}},
		{"the client was first", []history.Event{fault(1, "cut"), client(1, history.Drop, "", 0), client(1, history.Finish, "closed", 0)},
			[]FaultCount{{"cut", 1, 0}}},
		{"a gateway gave up", []history.Event{fault(1, "timeout"), client(1, history.Status, "", 504), client(1, history.Finish, "", 0)},
			[]FaultCount{{"timeout", 1, 1}}},
		{"another exchange's end", []history.Event{fault(1, "cut"), client(2, history.Finish, "EOF", 0)}, []FaultCount{{"cut", 1, 0}}},
		{"what cannot miss, sorted", []history.Event{fault(1, "slow-post"), fault(2, "hold"), fault(3, "hold")},
			[]FaultCount{{"hold", 2, 2}, {"slow-post", 1, 1}}},
	} {
		var l faultLog
		for _, e := range c.events {
			l.see(&e)
		}
		assert.Equal(t, c.want, l.counts, c.why)
	}
}

// TestFaultsInTheReport are said only where there are any.
func TestFaultsInTheReport(t *testing.T) {
	r := Report{}
	r.Summary.Groups = []Group{{Arm: ArmTarget, SpecVersion: "2025-11-25"}}
	assert.Empty(t, r.faults())
	r.Summary.Groups[0].Faults = []FaultCount{{"hold", 2, 2}}
	assert.Equal(t, "HTTP faults, by the exchanges that they struck: hold 2", r.faults())
	r.Summary.Groups[0].Faults = []FaultCount{{"cut", 348, 188}, {"hold", 2, 2}}
	assert.Equal(t, "HTTP faults, by the exchanges that they struck: cut 188 of 348 drawn, hold 2; the others came when\ntheir exchange was over", r.faults())
}
