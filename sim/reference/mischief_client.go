package reference

import (
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// pranks is what a client that does mischief has to remember. It is guarded by
// the link's mu.
type pranks struct {
	opening string          // the id of the session's first request
	last    string          // of the request that was answered last; empty: none yet, or used again
	foreign string          // of the server's latest request
	waited  map[string]bool // ids that somebody gave up and that were not answered since
	used    map[string]bool // ids that requests have had
}

// use takes note of the id of a request.
func (p *pranks) use(id string) {
	if p.used == nil {
		p.opening, p.used = id, map[string]bool{}
	}
	p.used[id] = true
}

// answered takes note of an answer to the request id, for which somebody waits or
// not.
func (p *pranks) answered(id string, awaited bool) {
	if proper(id) && (awaited || p.waited[id]) {
		p.last = id
		delete(p.waited, id)
	}
}

// abandon takes note of a request that is given up.
func (p *pranks) abandon(w *waiter) {
	if w.prank == nil {
		return
	}
	if p.waited == nil {
		p.waited = map[string]bool{}
	}
	p.waited[w.id] = true
}

// noteForeign takes note of a request of the server's.
func (l *link) noteForeign(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pranks.foreign = id
}

// proper reports whether a request may have the id: a string or an integer.
func proper(id string) bool {
	return id != "" && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') && (id[0] == '"' || !strings.ContainsAny(id, ".eE"))
}

// newID chooses the id of a request. The caller holds mu.
func (l *link) newID(m *sim.Mischief) string {
	id := l.freeID()
	if m != nil {
		if id = m.ID; proper(id) && l.pranks.used[id] {
			id = "" // the client has counted that far meanwhile
		}
		switch m.Reuse {
		case sim.ReusedAfter:
			if l.pranks.last != "" {
				id, l.pranks.last = l.pranks.last, ""
			}
		case sim.ReusedBefore:
			if open := l.youngest(); open != "" {
				id = open
			}
		}
	}
	if id == "" {
		l.lastID++
		id = strconv.FormatInt(l.lastID, 10)
	}
	// The client goes on counting behind what it was given.
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n < 1<<53 {
		l.lastID = max(l.lastID, n)
	}
	l.pranks.use(id)
	return id
}

// youngest returns the highest of the numbers that are ids in flight, so that the
// choice does not depend on the order of a map.
func (l *link) youngest() string {
	id, highest := "", int64(-1)
	for raw := range l.waiting {
		if n, err := strconv.ParseInt(raw, 10, 64); err == nil && n > highest && n < 1<<53 {
			id, highest = raw, n
		}
	}
	return id
}

// await has w get the answer to its id, behind whoever waits for that already.
// The caller holds mu.
func (l *link) await(w *waiter) {
	older := l.waiting[w.id]
	if older == nil {
		l.waiting[w.id] = w
		return
	}
	for older.behind != nil {
		older = older.behind
	}
	older.behind = w
}

// drop reports whether w was waiting, and has it wait no longer. The caller holds
// mu.
func (l *link) drop(w *waiter) bool {
	first := l.waiting[w.id]
	if first == w {
		if w.behind == nil {
			delete(l.waiting, w.id)
		} else {
			l.waiting[w.id], w.behind = w.behind, nil
		}
		return true
	}
	for ; first != nil; first = first.behind {
		if first.behind == w {
			first.behind, w.behind = w.behind, nil
			return true
		}
	}
	return false
}

// send queues the request of w and the strays around it; one that is to be written
// with its cancel waits for that. The caller holds mu.
func (l *link) send(w *waiter) {
	if w.prank == nil {
		l.enqueue(&w.outgoing)
		return
	}
	for _, kind := range w.prank.Strays {
		if kind != sim.TwinID {
			l.stray(kind, w)
		}
	}
	if w.prank.Together {
		return
	}
	l.enqueue(&w.outgoing)
	for _, kind := range w.prank.Strays {
		if kind == sim.TwinID {
			l.stray(kind, w)
		}
	}
}

// stray queues a stray cancel, if there is anything that it could name. The
// caller holds mu.
func (l *link) stray(kind string, w *waiter) {
	if frame := l.strayFrame(kind, w); frame != nil {
		l.enqueue(&outgoing{line: append(frame, '\n')})
	}
}

func (l *link) strayFrame(kind string, w *waiter) []byte {
	never := `"never-` + strings.Trim(w.id, `"`) + `"`
	named := func(id string) []byte {
		if id == "" {
			return nil
		}
		return protocol.AppendCancelled(nil, id, "")
	}
	switch kind {
	case sim.Finished:
		return named(l.pranks.last)
	case sim.Foreign:
		if l.waiting[l.pranks.foreign] != nil {
			return nil
		}
		return named(l.pranks.foreign)
	case sim.OfInitialize:
		if l.modern {
			return nil
		}
		return named(l.pranks.opening)
	case sim.TwinID:
		if l.waiting[twinOf(w.id)] != nil {
			return nil
		}
		return named(twinOf(w.id))
	case sim.NoParams:
		return protocol.AppendNotification(nil, protocol.Cancelled, "")
	case sim.NoID:
		return protocol.AppendNotification(nil, protocol.Cancelled, `{"reason":"none"}`)
	case sim.NullID:
		return named("null")
	case sim.BoolID:
		return named("true")
	case sim.ObjectID:
		return named("{}")
	case sim.ExtraMembers:
		return protocol.AppendNotification(nil, protocol.Cancelled, `{"requestId":`+never+`,"taskId":7,"force":[true]}`)
	case sim.WithRPCID:
		return protocol.AppendRequest(nil, never, protocol.Cancelled, `{"requestId":`+never+`}`)
	}
	return named(never)
}

// twinOf returns the id as the other JSON type: "7" for 7, 7 for "7"; empty where
// there is none.
func twinOf(id string) string {
	if !strings.HasPrefix(id, `"`) {
		return `"` + id + `"`
	}
	digits := strings.Trim(id, `"`)
	if _, err := strconv.ParseInt(digits, 10, 64); err != nil {
		return ""
	}
	return digits
}
