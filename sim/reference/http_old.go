package reference

import (
	"net/http"
)

// serveOld is HTTP+SSE of 2024-11-05: a client opens a stream, which is its session, and
// posts to where the stream's first event says. All that the server says goes by the
// stream. The stream's end is the client's leaving.
func (s *server) serveOld(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		s.openOld(w, r)
	case http.MethodPost:
		s.postOld(w, r)
	default:
		notAllowed(w, r, "GET, POST")
	}
}

// querySession is the parameter that names the session in the address to post to.
const querySession = "sessionId"

func (s *server) openOld(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header, eventType) {
		refuse(w, r, http.StatusNotAcceptable, "Accept must list "+eventType)
		return
	}
	st := newStream(s.defect, -1)
	st.lane.take()
	ws := s.newWebSession(st)
	x := newExchange(w, ws.gone)
	st.attach(x)
	st.write(event{name: "endpoint", data: r.URL.EscapedPath() + "?" + querySession + "=" + ws.id})
	st.lane.yield()
	ws.carry(st, x, r)
	ws.end(nil)
}

func (s *server) postOld(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get(querySession)
	if id == "" {
		refuse(w, r, http.StatusBadRequest, querySession+" is missing")
		return
	}
	ws := s.find(id)
	if ws == nil {
		refuse(w, r, http.StatusNotFound, "unknown session")
		return
	}
	m := s.readBody(w, r)
	switch {
	case m == nil:
	case !ws.stay():
		refuse(w, r, http.StatusNotFound, "unknown session")
	default:
		ws.accept(w, r, m)
	}
}
