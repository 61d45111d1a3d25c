package sim

import (
	"slices"
	"sync"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A callBook knows which call a message of the wire belongs to: by the id of its
// request, by the progress token that the request gave, or by the task that came of it.
//
// A request carries the number of its call, but for those that the client cannot
// mark. Such a request belongs to the one call of its method that was made and
// not yet written. When there are several, nobody can tell, and none of them is
// given it: nothing is judged from a call without a request.
type callBook struct {
	unmarked []string // methods whose requests carry no number

	mu     sync.Mutex // guards what follows
	ids    map[string]int
	asked  map[string]int // likewise, of the server's requests
	tokens map[string]int
	tasks  map[string]int        // by the task's id
	open   map[string]*unwritten // by method
}

// An unwritten is what was asked of the client and not seen on the wire yet.
type unwritten struct {
	calls []int // 0 is the probe
	loose int   // requests that were written meanwhile and could be any of them
}

func newCallBook(unmarked []string) *callBook {
	return &callBook{
		unmarked: unmarked, ids: map[string]int{}, asked: map[string]int{}, tokens: map[string]int{}, tasks: map[string]int{},
		open: map[string]*unwritten{},
	}
}

// issued takes note of a call that is about to be made.
func (b *callBook) issued(call int, method string) {
	if !slices.Contains(b.unmarked, method) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open[method] == nil {
		b.open[method] = &unwritten{}
	}
	b.open[method].calls = append(b.open[method].calls, call)
}

// probing takes note of the probe, which looks like a call on the wire.
func (b *callBook) probing(specVersion string) {
	method := protocol.Ping
	if protocol.Modern(specVersion) {
		method = protocol.ToolsList
	}
	b.issued(0, method)
}

// learn takes note of a request, and of the task that comes of one.
func (b *callBook) learn(sender history.Side, msg *history.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if sender == history.Server && msg.Kind == history.Response && msg.Task != "" && b.tasks[msg.Task] == 0 {
		b.tasks[msg.Task] = b.ids[msg.ID]
	}
	if msg.Kind != history.Request {
		return
	}
	call := msg.Call
	if sender == history.Server {
		b.asked[msg.ID] = call
		return
	}
	if call == 0 && msg.Task != "" {
		call = b.tasks[msg.Task]
	}
	if call == 0 {
		call = b.open[msg.Method].take()
	}
	if call == 0 {
		delete(b.ids, msg.ID)
		return
	}
	b.ids[msg.ID] = call
	if msg.Token != "" {
		b.tokens[msg.Token] = call
	}
}

// take returns the call that a request without a number is for, 0 if that is
// nobody's or cannot be told.
func (u *unwritten) take() int {
	if u == nil || len(u.calls) == 0 {
		return 0
	}
	u.loose++
	call := 0
	if u.loose == 1 && len(u.calls) == 1 {
		call = u.calls[0]
	}
	if u.loose == len(u.calls) {
		*u = unwritten{}
	}
	return call
}

// of returns the call that a message belongs to, 0 if it is none's.
func (b *callBook) of(sender history.Side, msg *history.Message) int {
	if msg == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case msg.Call != 0:
		return msg.Call
	case msg.Kind == history.Request && sender == history.Client:
		return b.ids[msg.ID]
	case msg.IsCancel() && sender == history.Client:
		return b.ids[msg.Ref]
	case msg.IsReply() && sender == history.Server:
		return b.ids[msg.ID]
	case msg.IsCancel():
		return b.asked[msg.Ref]
	case msg.IsReply():
		return b.asked[msg.ID]
	case msg.Kind == history.Notification && msg.Token != "":
		return b.tokens[msg.Token]
	case msg.Kind == history.Notification && msg.Task != "":
		return b.tasks[msg.Task]
	case msg.Kind == history.Notification && msg.Sub != "" && sender == history.Server:
		return b.ids[msg.Sub]
	}
	return 0
}
