package reference

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// serveModern is Streamable HTTP of 2026-07-28, which has no sessions: each POST is one of
// its own, so that nothing that two clients ask can be taken for the same. A client that
// goes away has cancelled its request, and nothing more is written for it.
func (s *server) serveModern(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		notAllowed(w, r, "POST")
		return
	}
	if !accepts(r.Header, jsonType) || !accepts(r.Header, eventType) {
		refuse(w, r, http.StatusNotAcceptable, "Accept must list "+jsonType+" and "+eventType)
		return
	}
	m := s.readBody(w, r)
	switch {
	case m == nil:
	case m.Kind == history.Notification:
		// There is none that a server has to act on, not even a cancel.
		s.sayAccepted(w)
	case m.Kind != history.Request:
		refuse(w, r, http.StatusBadRequest, "a client sends no responses")
	default:
		s.answerModern(w, r, m)
	}
}

func (s *server) answerModern(w http.ResponseWriter, r *http.Request, m *history.Message) {
	n := s.newExchangeSession(r.Context())
	if status, e := n.refuseHead(r.Header, m); e != nil {
		n.stop()
		refuseFrame(w, status, m.ID, *e)
		return
	}
	st := newStream(s.defect, -1)
	n.lane = st.lane
	st.plain = n.answers[m.Method] == nil && n.env.Mischief == nil
	n.attend(w, r, m, st)
}

// attend works on a request and carries what comes of it until all of it is said or the
// client is gone.
func (n *session) attend(w http.ResponseWriter, r *http.Request, m *history.Message, st *stream) {
	n.serving(n)
	defer n.part()
	st.lane.take()
	var refusal *protocol.RPCError
	n.receive(m, arrival{lane: st.lane, refuse: func(e protocol.RPCError) { refusal = &e }})
	if refusal != nil {
		st.lane.yield()
		refuseFrame(w, http.StatusBadRequest, "", *refusal)
		return
	}
	unhook := context.AfterFunc(r.Context(), n.clientGone)
	x := newExchange(w, nil)
	st.attach(x)
	st.lane.yield()
	st.lane.leave()
	select {
	case <-st.lane.over:
		n.afterLastWord(st, n.site.stopping, r.Context().Done())
		st.finish(x)
		unhook()
		return
	case <-r.Context().Done():
	}
	if unhook() { // whoever ends the context had not come to it
		n.clientGone()
	}
	n.staysOn(st.lane)
	st.leave(x)
	n.afterGone()
}

// newExchangeSession makes the session of one exchange, whose context is that of the
// HTTP request.
func (s *server) newExchangeSession(exchange context.Context) *session {
	n := newSession(exchange, s)
	n.exchange = exchange
	n.hangup = sync.OnceValue(func() error { n.stop(); return nil })
	return n
}

// clientGone acts on the end of the exchange's context as on a cancel of what it carries.
func (n *session) clientGone() {
	n.mu.Lock()
	var ids []string
	for id := range n.inflight {
		ids = append(ids, id)
	}
	n.mu.Unlock()
	n.besidesGone()
	for _, id := range ids { // one, see serveModern
		if n.tellsNobody() {
			n.forget(id)
			continue
		}
		n.cancelled(&history.Message{Kind: history.Notification, Method: protocol.Cancelled, Ref: id})
	}
}

// part takes a session off the list, and has the server wait for its handlers.
func (n *session) part() {
	s := n.server
	s.left(n)
	s.site.mu.Lock()
	s.site.work.Add(1) // the exchange is counted still
	s.site.mu.Unlock()
	go func() {
		defer s.site.work.Done()
		n.running.Wait()
		n.stop()
	}()
}

// refuseHead checks a request, and what the headers say of it: streamable-http of
// 2026-07-28, "Server Validation". It returns the error that it deserves, with its status,
// or nil.
func (n *session) refuseHead(h http.Header, m *history.Message) (int, *protocol.RPCError) {
	params := protocol.Member(m.Raw, "params")
	if m.Method != protocol.Initialize { // an old client knows nothing of the headers
		version, _ := protocol.Text(protocol.Member(protocol.Member(params, "_meta"), protocol.MetaVersion))
		if e := mismatch(protocol.HeaderVersion, h.Get(protocol.HeaderVersion), version, version != ""); e != nil {
			return http.StatusBadRequest, e
		}
		if e := mismatch(protocol.HeaderMethod, h.Get(protocol.HeaderMethod), m.Method, true); e != nil {
			return http.StatusBadRequest, e
		}
		if e := mismatchedName(h, m); e != nil {
			return http.StatusBadRequest, e
		}
	}
	e := n.refuseModern(m.Method, params)
	if e != nil && e.Code == protocol.MethodNotFound {
		return http.StatusNotFound, e
	}
	return http.StatusBadRequest, e
}

// mismatch is the error of a header that is missing, or says something else than the
// body, if the body says anything.
func mismatch(name, got, want string, said bool) *protocol.RPCError {
	switch {
	case got == "":
		return &protocol.RPCError{Code: protocol.HeaderMismatch, Message: name + " is missing"}
	case said && got != want:
		return &protocol.RPCError{Code: protocol.HeaderMismatch, Message: fmt.Sprintf("%s is %q, and the body says %q", name, got, want)}
	}
	return nil
}

func mismatchedName(h http.Header, m *history.Message) *protocol.RPCError {
	want, named := nameOf(m)
	if !named {
		return nil
	}
	values := h.Values(protocol.HeaderName)
	if len(values) == 0 {
		return &protocol.RPCError{Code: protocol.HeaderMismatch, Message: protocol.HeaderName + " is missing"}
	}
	got, ok := decodeHeader(values[0])
	if !ok || got != want {
		return &protocol.RPCError{Code: protocol.HeaderMismatch, Message: fmt.Sprintf("%s is %q, and the body says %q", protocol.HeaderName, values[0], want)}
	}
	return nil
}
