package reference

import (
	"net/http"
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// serveLegacy is Streamable HTTP of 2025-03-26 to 2025-11-25.
//
// A client that goes away has cancelled nothing: its call runs on, and what comes of it is
// kept for the client to fetch. A cancelled call is not answered; its stream ends when its
// handler has. The text of those versions contradicts itself there (note Q4): a response
// is not to be sent, and a stream is not to be closed before it. To end the stream is what
// frees it, and what lets a client know that nothing will come.
func (s *server) serveLegacy(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodGet:
		s.get(w, r)
	case http.MethodDelete:
		s.delete(w, r)
	default:
		notAllowed(w, r, "GET, POST, DELETE")
	}
}

// post takes in what a client has posted.
func (s *server) post(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header, jsonType) || !accepts(r.Header, eventType) {
		refuse(w, r, http.StatusNotAcceptable, "Accept must list "+jsonType+" and "+eventType)
		return
	}
	m := s.readBody(w, r)
	if m == nil {
		return
	}
	members := s.members(m)
	ws := s.sessionOf(w, r, members)
	switch {
	case ws == nil:
	case !ws.stay():
		refuse(w, r, http.StatusNotFound, "unknown session")
	case asks(members):
		ws.work(w, r, m, members)
	default:
		ws.accept(w, r, m)
	}
}

// sessionOf returns the session that a request names, a new one for an initialize that
// names none. It answers the exchange and returns nil where there is none.
func (s *server) sessionOf(w http.ResponseWriter, r *http.Request, members []*history.Message) *webSession {
	id := r.Header.Get(protocol.HeaderSession)
	if id == "" && len(members) == 1 && members[0].Method == protocol.Initialize && proper(members[0].ID) {
		ws := s.newWebSession(newStream(s.defect, 0))
		w.Header().Set(protocol.HeaderSession, ws.id)
		return ws
	}
	if id == "" {
		refuse(w, r, http.StatusBadRequest, protocol.HeaderSession+" is missing")
		return nil
	}
	version := r.Header.Get(protocol.HeaderVersion)
	if protocol.NamesVersion(s.version) && version != "" && version != s.version {
		refuse(w, r, http.StatusBadRequest, "unsupported protocol version "+version)
		return nil
	}
	ws := s.find(id)
	if ws == nil {
		refuse(w, r, http.StatusNotFound, "unknown session")
	}
	return ws
}

// accept acts on a frame that has no request in it.
func (ws *webSession) accept(w http.ResponseWriter, r *http.Request, m *history.Message) {
	named := ws.callOf(m.Ref)
	if refusals := ws.read(m, ws.lane); len(refusals) > 0 {
		refuseFrame(w, http.StatusBadRequest, "", refusals[0])
		return
	}
	ws.beforeAccepting(named, r.Context().Done())
	ws.sayAccepted(w)
}

// work acts on a frame that has a request in it, and carries what comes of it until all
// of it is said, or the client or the session is gone. It acts at once: a cancel that is
// read next finds the request. What comes of it waits until the head is written.
func (ws *webSession) work(w http.ResponseWriter, r *http.Request, m *history.Message, members []*history.Message) {
	st := ws.newStream(!ws.streamed(members))
	st.lane.take()
	refusals := ws.read(m, st.lane)
	if len(refusals) == len(members) { // nothing else can come of it
		st.lane.yield()
		st.lane.leave()
		refuseFrame(w, http.StatusBadRequest, "", refusals[0])
		return
	}
	x := newExchange(w, ws.gone)
	st.attach(x)
	if !st.plain {
		st.prime(ws.version)
	}
	for _, e := range refusals {
		st.lane.write(protocol.AppendError(nil, "", e))
	}
	st.lane.yield()
	st.lane.leave()
	ws.carry(st, x, r)
}

// streamed reports whether the messages are answered by a stream, and not by one object:
// where the application's code is at work, and takes its time.
func (ws *webSession) streamed(members []*history.Message) bool {
	return ws.env.Mischief != nil || slices.ContainsFunc(members, func(m *history.Message) bool { return ws.answers[m.Method] != nil })
}

// carry has the exchange carry the stream until the stream is over, another exchange
// carries it, or the client or the session is gone.
func (ws *webSession) carry(st *stream, x *exchange, r *http.Request) {
	select {
	case <-st.lane.over:
		ws.afterLastWord(st, ws.gone, r.Context().Done())
		st.finish(x)
		return
	case <-x.taken:
	case <-ws.gone:
	case <-r.Context().Done():
		ws.afterDisconnect(st)
	}
	st.leave(x)
	if !x.begun && r.Context().Err() == nil {
		refuse(x.w, r, http.StatusNotFound, "the session has ended")
	}
}

// newStream makes a stream for a POST, which can be resumed unless it is plain. If there
// are too many, the oldest is forgotten of which nothing more will come.
func (ws *webSession) newStream(plain bool) *stream {
	if plain {
		st := newStream(ws.defect, -1)
		st.plain = true
		return st
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.streams) >= maxStreams {
		i := max(0, slices.IndexFunc(ws.streams, func(st *stream) bool { return st.lane.isOver() }))
		ws.streams = slices.Delete(ws.streams, i, i+1)
	}
	ws.last++
	st := newStream(ws.defect, ws.last)
	ws.streams = append(ws.streams, st)
	return st
}

// stream returns the stream of that number, or nil.
func (ws *webSession) stream(number int) *stream {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if number == 0 {
		return ws.own
	}
	for _, st := range ws.streams {
		if st.number == number {
			return st
		}
	}
	return nil
}

// get opens the client's own stream, or resumes the one that Last-Event-ID is of. A stream
// that another exchange carries is taken from it: that one is most likely broken, and
// nothing may be said twice.
func (s *server) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header, eventType) {
		refuse(w, r, http.StatusNotAcceptable, "Accept must list "+eventType)
		return
	}
	ws := s.sessionOf(w, r, nil)
	if ws == nil {
		return
	}
	last := r.Header.Get(protocol.HeaderLastEvent)
	if last == "" {
		ws.resume(ws.own, -1, w, r)
		return
	}
	number, behind, ok := eventID(last)
	st := ws.stream(number)
	if !ok || st == nil {
		refuse(w, r, http.StatusBadRequest, "no event "+last+" is known")
		return
	}
	ws.resume(st, behind, w, r)
}

// resume carries a stream from behind the event of that number on; negative: from now on.
func (ws *webSession) resume(st *stream, behind int, w http.ResponseWriter, r *http.Request) {
	x := newExchange(w, ws.gone)
	besides := ws.besidesReplay(st)
	st.lane.take()
	if behind >= 0 && !st.has(behind) {
		st.lane.yield()
		refuse(w, r, http.StatusBadRequest, "the event is not known")
		return
	}
	st.attach(x)
	if behind < 0 {
		st.catchUp()
		st.prime(ws.version)
	} else {
		st.replay(st.behind(behind))
		for _, e := range besides {
			st.write(e)
		}
	}
	st.lane.yield()
	ws.carry(st, x, r)
}

// delete ends a session because its client says so. Its calls are told to stop, and its
// streams end: what is answered here is the last that is said.
func (s *server) delete(w http.ResponseWriter, r *http.Request) {
	ws := s.sessionOf(w, r, nil)
	if ws == nil {
		return
	}
	if !ws.keeps() {
		ws.end(nil)
	}
	w.WriteHeader(http.StatusNoContent)
}
