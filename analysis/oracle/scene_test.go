package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A scene is a history that a test looks into and changes by one act. Events go by
// names, of which the first that fits is meant: side, kind, for the wire what the
// frame is (request, reply, cancel, progress), and the call's number:
//
//	client issue 1
//	server read cancel 1
//	client write cancel 1 #2    the second such event
type scene struct {
	t testing.TB
	h *history.History
}

// stage returns a scene of a copy of h, whose messages are its own, too.
func stage(t testing.TB, h *history.History) *scene {
	c := &history.History{Header: h.Header, Events: slices.Clone(h.Events)}
	c.Header.Calls = slices.Clone(h.Header.Calls)
	messages := map[*history.Message]*history.Message{}
	for i := range c.Events {
		m := c.Events[i].Msg
		if m == nil {
			continue
		}
		if messages[m] == nil {
			own := *m
			messages[m] = &own
		}
		c.Events[i].Msg = messages[m]
	}
	return &scene{t, c}
}

// find returns the index of the event of that name, -1 if there is none.
func (s *scene) find(name string) int {
	name, nth, numbered := strings.Cut(name, " #")
	skip := 0
	if numbered {
		n, err := strconv.Atoi(nth)
		require.NoError(s.t, err)
		skip = n - 1
	}
	for i := range s.h.Events {
		e := &s.h.Events[i]
		if after, ok := strings.CutPrefix(name, string(e.Side)+" "); !ok || !strings.HasPrefix(after, string(e.Kind)) || nameOf(e) != name {
			continue
		}
		if skip == 0 {
			return i
		}
		skip--
	}
	return -1
}

// at is find of an event that must be there.
func (s *scene) at(name string) int {
	i := s.find(name)
	require.GreaterOrEqual(s.t, i, 0, "there is no event %q in\n%s", name, listing(s.h))
	return i
}

func (s *scene) event(name string) *history.Event { return &s.h.Events[s.at(name)] }

func nameOf(e *history.Event) string {
	name := string(e.Side) + " " + string(e.Kind)
	if e.Msg != nil {
		name += " " + frameName(e.Msg)
	}
	if e.Call > 0 {
		name += fmt.Sprintf(" %d", e.Call)
	}
	return name
}

func frameName(m *history.Message) string {
	switch {
	case m.IsReply():
		return "reply"
	case m.IsCancel():
		return "cancel"
	case m.Method == "notifications/progress":
		return "progress"
	}
	return string(m.Kind)
}

// put inserts events behind another one, so much later, and lets what follows wait
// for them.
func (s *scene) put(behind int, later time.Duration, events ...history.Event) {
	for i := range events {
		events[i].At = s.h.Events[behind].At + later
	}
	s.h.Events = slices.Insert(s.h.Events, behind+1, events...)
	s.number()
}

// move puts an event that is there behind another one.
func (s *scene) move(name, behind string, later time.Duration) {
	e := *s.event(name)
	s.drop(name)
	s.put(s.at(behind), later, e)
}

func (s *scene) drop(name string) {
	i := s.at(name)
	s.h.Events = slices.Delete(s.h.Events, i, i+1)
	s.number()
}

// number numbers the events anew, and lets no clock run backwards.
func (s *scene) number() {
	for i := range s.h.Events {
		e := &s.h.Events[i]
		e.Seq = i
		if i > 0 {
			e.At = max(e.At, s.h.Events[i-1].At)
		}
	}
}

// write makes the two events of a frame's writing, by a side, of a message.
func (s *scene) write(side history.Side, call int, m history.Message) []history.Event {
	n := 0
	for _, e := range s.h.Events {
		n = max(n, e.Frame)
	}
	e := history.Event{Side: side, Kind: history.Write, Call: call, Frame: n + 1, Msg: &m}
	done := e
	done.Kind = history.Wrote
	return []history.Event{e, done}
}

// request returns the message of the call's request.
func (s *scene) request(call int) *history.Message {
	return s.event(fmt.Sprintf("client write request %d", call)).Msg
}

// answer makes the events of one more response to a call.
func (s *scene) answer(call int) []history.Event {
	id := s.request(call).ID
	return s.write(history.Server, call, history.Message{Kind: history.Response, ID: id, Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)})
}

// progress makes the events of one more progress notification for a call.
func (s *scene) progress(call int) []history.Event {
	token := s.request(call).Token
	return s.write(history.Server, call, history.Message{
		Kind: history.Notification, Method: "notifications/progress", Token: token,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1000}}`, token),
	})
}

// cancel makes the events of a cancel of an id.
func (s *scene) cancel(side history.Side, id string) []history.Event {
	return s.write(side, 0, history.Message{
		Kind: history.Notification, Method: "notifications/cancelled", Ref: id,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id),
	})
}

// writing reports whether a side was just writing something at event i.
func (s *scene) writing(side history.Side, i int) bool {
	open := 0
	for _, e := range s.h.Events[:i] {
		switch {
		case e.Side != side:
		case e.Kind == history.Write:
			open++
		case e.Kind == history.Wrote:
			open--
		}
	}
	return open > 0
}

// order requires that events are there, in this order.
func (s *scene) order(names ...string) {
	for i := range names[1:] {
		require.Less(s.t, s.at(names[i]), s.at(names[i+1]), "%s comes before %s", names[i], names[i+1])
	}
}
