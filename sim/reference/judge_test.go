package reference

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// breaches holds the sightings to the rules.
func (p *pair) breaches() []string {
	j := judge{
		issued: map[string]int{}, cancelled: map[string]bool{}, dead: map[string]bool{}, answered: map[string]bool{},
		tokens: map[string]bool{}, running: map[int]bool{}, ended: map[int]time.Duration{}, told: map[int]time.Duration{}, tell: map[int]time.Duration{},
	}
	for _, s := range p.log {
		j.see(s)
	}
	for i, c := range p.calls {
		j.call(i+1, c, p.closeAt > 0)
	}
	j.order(p)
	return j.found
}

// A judge goes through the sightings once. Requests go by id, calls by number.
type judge struct {
	issued    map[string]int  // requests that the client wrote, and their call
	cancelled map[string]bool // and cancelled
	dead      map[string]bool // requests of which the server read the cancel while they were open
	answered  map[string]bool
	running   map[int]bool          // calls whose tool is at work
	ended     map[int]time.Duration // when it returned
	tell      map[int]time.Duration // when the cancel of a running tool was read
	told      map[int]time.Duration // when a tool was told
	tokens    map[string]bool       // progress tokens that the client gave
	found     []string
}

func (j *judge) breach(format string, args ...any) {
	j.found = append(j.found, fmt.Sprintf(format, args...))
}

func (j *judge) see(s sighting) {
	switch {
	case s.m == nil:
		j.seeAct(s)
	case s.m.Kind == history.Invalid:
		j.breach("%s what is no JSON-RPC: %s", s.where, s.m.Raw)
	case s.where == "client writes" && s.m.Kind == history.Request:
		if _, again := j.issued[s.m.ID]; again {
			j.breach("the client uses id %s again", s.m.ID)
		}
		if j.tokens[s.m.Token] || strings.HasPrefix(s.m.Method, "notifications/") {
			j.breach("the client uses a token again, or numbers a notification: %s", s.m.Raw)
		}
		j.tokens[s.m.Token] = s.m.Token != ""
		j.issued[s.m.ID] = s.m.Call
	case s.where == "client writes" && s.m.IsCancel():
		if call, ok := j.issued[s.m.Ref]; !ok || call == 0 {
			j.breach("the client cancels %s, which is no call that it made", s.m.Ref)
		}
		j.cancelled[s.m.Ref] = true
	case s.where == "server reads" && s.m.IsCancel():
		call := j.issued[s.m.Ref]
		_, ended := j.ended[call]
		j.dead[s.m.Ref] = j.dead[s.m.Ref] || !j.answered[s.m.Ref] && !ended
		if j.running[call] {
			j.tell[call] = s.at
		}
	case s.where == "server writes":
		j.seeServer(s.m)
	}
}

func (j *judge) seeServer(m *history.Message) {
	switch {
	case m.IsReply():
		if j.dead[m.ID] {
			j.breach("the server answers %s after it read the cancel: %s", m.ID, m.Raw)
		}
		if j.answered[m.ID] {
			j.breach("the server answers %s twice", m.ID)
		}
		j.answered[m.ID] = true
	case m.Method != protocol.Progress:
		j.breach("the server has nothing else to say: %s", m.Raw)
	case !j.tokens[m.Token]:
		j.breach("the server reports progress of nothing: %s", m.Raw)
	default:
		for id, call := range j.issued {
			if fmt.Sprint(call) == m.Token && (j.dead[id] || j.answered[id]) {
				j.breach("the server reports progress of %s after its end", id)
			}
		}
	}
}

func (j *judge) seeAct(s sighting) {
	switch s.where {
	case "tool is told":
		j.told[s.call] = s.at
	case "tool ends":
		j.running[s.call], j.ended[s.call] = false, s.at
	case "tool starts":
		j.running[s.call] = true
		for id := range j.dead {
			if j.issued[id] == s.call {
				j.breach("the tool of call %d starts after the cancel was read", s.call)
			}
		}
	case "caller returns":
	default:
		j.breach("%s", s.where)
	}
}

// order holds each cancel to the requests that were decided later.
func (j *judge) order(p *pair) {
	latest := time.Duration(-1) // when the latest of the requests so far was decided
	for _, s := range p.log {
		if s.where != "client writes" {
			continue
		}
		if s.m.IsCancel() {
			if c := p.call(j.issued[s.m.Ref]); c != nil && latest > c.issued+c.cancel {
				j.breach("a request goes before the cancel of %s, which is older", s.m.Ref)
			}
		} else if c := p.call(s.m.Call); c != nil {
			latest = max(latest, c.issued)
		}
	}
}

// call returns the call of that number, or nil.
func (p *pair) call(number int) *drawnCall {
	if number == 0 {
		return nil
	}
	return p.calls[number-1]
}

// call holds what the caller got to what it may get.
func (j *judge) call(number int, c *drawnCall, closed bool) {
	id := ""
	for k, call := range j.issued {
		if call == number {
			id = k
		}
	}
	at, tell := j.tell[number]
	told, wasTold := j.told[number]
	ended, hasEnded := j.ended[number]
	// Which of two things of one instant comes first is the scheduler's.
	inTime := wasTold && told == at || hasEnded && ended == at
	if tell && !inTime {
		j.breach("the tool of call %d is not told", number)
	}
	if gaveUpOn(c.err) && id != "" && !j.cancelled[id] && !closed {
		j.breach("the server is not told that nobody waits for call %d", number)
	}
	switch {
	case !c.done:
		j.breach("call %d does not return", number)
	case c.cancel > 0 && c.returned > c.issued+c.cancel:
		j.breach("the caller of %d waits after its cancel", number)
	case c.err == nil && c.value != fmt.Sprintf("value %d", number):
		j.breach("call %d gets %q", number, c.value)
	case c.err == nil && j.cancelled[id]:
		j.breach("call %d returns a value although it was cancelled", number)
	case gaveUpOn(c.err) && c.cancel == 0:
		j.breach("call %d is cancelled by nobody", number)
	case c.err != nil && !gaveUpOn(c.err) && !closed:
		j.breach("call %d fails: %v", number, c.err)
	}
}

// gaveUpOn reports whether err says that the caller did not want to wait.
func gaveUpOn(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
