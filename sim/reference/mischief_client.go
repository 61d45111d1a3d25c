package reference

import (
	"context"
	"slices"
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
	used    map[string]bool // ids of all requests
	tasks   map[string]bool // ids of calls made as tasks, which no notification may cancel
}

// answered takes note of an answer to the request id, for which somebody waits or
// not.
func (p *pranks) answered(id string, awaited bool) {
	if proper(id) && !p.tasks[id] && (awaited || p.waited[id]) {
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

// issued takes note of a request that is made.
func (p *pranks) issued(id string, q question) {
	p.used = noted(p.used, id)
	if q.task {
		p.tasks = noted(p.tasks, id)
	}
}

func noted(ids map[string]bool, id string) map[string]bool {
	if ids == nil {
		ids = map[string]bool{}
	}
	ids[id] = true
	return ids
}

// foreignID returns an id that only the server has used, and that the client will
// not use as it counts on; empty if there is none. The caller holds mu.
func (l *link) foreignID() string {
	id := l.pranks.foreign
	if l.pranks.used[id] {
		return ""
	}
	l.lastID = max(l.lastID, counted(id))
	return id
}

// counted is the number that whoever counts goes on behind when the id is used; 0:
// behind none.
func counted(id string) int64 {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n < 1<<53 {
		return n
	}
	return 0
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
		id = m.ID
		if counted(id) > 0 && l.pranks.used[id] { // the client has counted to there
			id = ""
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
	l.lastID = max(l.lastID, counted(id))
	if l.pranks.opening == "" {
		l.pranks.opening = id
	}
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
// with its cancel waits for that, and one that is to be in a batch, see hold. The caller holds mu.
func (l *link) send(w *waiter) {
	if w.prank == nil {
		l.sendOrJoin(&w.outgoing)
		return
	}
	for _, kind := range w.prank.Strays {
		if kind != sim.TwinID {
			l.stray(kind, w)
		}
	}
	switch {
	case w.prank.Together:
		return
	case w.prank.Batch && protocol.Batches(l.version):
		l.hold(w)
	default:
		l.sendOrJoin(&w.outgoing)
	}
	for _, kind := range w.prank.Strays {
		if kind == sim.TwinID {
			l.stray(kind, w)
		}
	}
}

// sendTogether sends a request that was held back for its cancel, with it: in one Write
// where frames go by a stream. The caller holds mu.
func (l *link) sendTogether(ctx context.Context, w *waiter) {
	switch {
	case !l.posts:
		l.enqueue(&outgoing{line: slices.Concat(w.line, l.cancelLine(ctx, w))})
	case l.closes:
		w.brief = true
		l.enqueue(&w.outgoing)
	default:
		l.enqueue(&w.outgoing)
		l.enqueue(&outgoing{line: l.cancelLine(ctx, w)})
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
		return named(l.foreignID())
	case sim.OfInitialize:
		if l.modern {
			return nil
		}
		return named(l.pranks.opening)
	case sim.TwinID:
		if twin := twinOf(w.id); l.waiting[twin] != nil || l.pranks.tasks[twin] {
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
	case sim.ArrayParams:
		return protocol.AppendNotification(nil, protocol.Cancelled, `[`+never+`]`)
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
