package spacetime

import "github.com/mcpsim/mcpsim/sim/history"

// An ids table knows which call a message belongs to.
type ids struct {
	byID    map[named]int // of the side that made the request
	byToken map[named]int
	events  map[named]bool // ids of server-sent events that brought a message
}

// A named thing is one by the name that a side gave it, to or as one of several clients.
type named struct {
	client int
	side   history.Side
	name   string
}

func newIDs() ids {
	return ids{byID: map[named]int{}, byToken: map[named]int{}, events: map[named]bool{}}
}

// again reports whether e writes a message as a server-sent event that was written
// before.
func (t ids) again(e history.Event) bool {
	key := named{e.Client, e.Side, e.EventID}
	again := e.EventID != "" && t.events[key]
	t.events[key] = true
	return again
}

// call returns the call that e's message belongs to; zero if none is known.
func (t ids) call(e history.Event) int {
	m := e.Msg
	if m == nil {
		return e.Call
	}
	sender := e.Side
	if e.Kind != history.Write {
		sender = sender.Peer()
	}
	by := func(side history.Side, name string) named { return named{e.Client, side, name} }
	call := e.Call
	switch {
	case call != 0:
	case m.Kind == history.Request:
		call = m.Call
	case m.IsReply():
		call = t.byID[by(sender.Peer(), m.ID)]
	case m.IsCancel():
		call = t.byID[by(sender, m.Ref)]
	case isProgress(m):
		call = t.byToken[by("", m.Token)]
	}
	if m.Kind == history.Request && sender != history.World {
		t.byID[by(sender, m.ID)] = call
		if m.Token != "" {
			t.byToken[by("", m.Token)] = call
		}
	}
	return call
}
