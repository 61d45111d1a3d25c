package reference

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A site is what a server has for HTTP: the sessions of its clients, and what goes on.
type site struct {
	mu       sync.Mutex     // guards what follows
	sessions []*webSession  // alive, oldest first
	closed   bool           // no exchange is begun any more
	stopping chan struct{}  // closed when it is
	work     sync.WaitGroup // the exchanges under way, and handlers of sessions that are over
}

// A webSession is a session over HTTP, of either legacy transport.
type webSession struct {
	*session
	id   string
	gone chan struct{} // closed when the session is over
	own  *stream       // what is said of no request

	reads sync.Mutex // is held by who acts on a frame: one at a time, as if there were one reader

	mu      sync.Mutex // guards what follows
	streams []*stream  // that can be resumed, oldest first
	last    int        // the number of the youngest
}

// maxStreams is how many streams of one session can be resumed. The oldest that is over is
// forgotten for a new one.
const maxStreams = 64

// Handler returns what serves the MCP endpoint.
func (s *server) Handler() http.Handler {
	serve := s.serveLegacy
	switch {
	case s.env.Transport == sim.HTTPSSE:
		serve = s.serveOld
	case protocol.Modern(s.version):
		serve = s.serveModern
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			refuse(w, r, http.StatusServiceUnavailable, "the server is stopping")
			return
		}
		defer s.site.work.Done()
		if !sameOrigin(r) {
			refuse(w, r, http.StatusForbidden, "foreign origin")
			return
		}
		serve(w, r)
	})
}

// enter counts an exchange. It reports false when none is to be begun any more.
func (s *server) enter() bool {
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	if !s.site.closed {
		s.site.work.Add(1)
	}
	return !s.site.closed
}

// Sessions returns how many sessions are alive: none, ever, in the era that has none.
func (s *server) Sessions() int {
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	return len(s.site.sessions)
}

// Shutdown ends all sessions and waits for all exchanges and handlers, at most until ctx
// ends. Subscriptions are ended by their responses, handlers are told to stop; what they
// return is still sent where there are no sessions, since each exchange is complete in
// itself.
func (s *server) Shutdown(ctx context.Context) error {
	s.site.mu.Lock()
	if !s.site.closed {
		s.site.closed = true
		close(s.site.stopping)
	}
	sessions := slices.Clone(s.site.sessions)
	s.site.mu.Unlock()
	for _, n := range s.served() {
		n.retire()
		n.stop()
	}
	for _, ws := range sessions {
		ws.end(errShutdown)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.site.work.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop the server: %w", ctx.Err())
	}
}

var errShutdown = errors.New("the server was stopped")

// newWebSession makes a session with an unguessable id. The handlers are the session's,
// not those of the exchange that the client opens it by.
func (s *server) newWebSession(own *stream) *webSession {
	ws := &webSession{session: newSession(context.Background(), s), id: rand.Text(), gone: make(chan struct{}), own: own}
	ws.lane = own.lane
	ws.hangup = sync.OnceValue(func() error { ws.depart(); return nil })
	s.site.mu.Lock()
	s.site.sessions = append(s.site.sessions, ws)
	s.site.mu.Unlock()
	s.serving(ws.session)
	return ws
}

// depart takes a session off the list. Its streams end, its handlers are told to stop,
// and who waits for the client is released.
func (ws *webSession) depart() {
	s := ws.server
	s.site.mu.Lock()
	s.site.sessions = slices.DeleteFunc(s.site.sessions, func(o *webSession) bool { return o == ws })
	s.site.work.Add(1)
	s.site.mu.Unlock()
	s.left(ws.session)
	close(ws.gone)
	ws.stop()
	ws.asks.giveUp()
	go func() {
		defer s.site.work.Done()
		ws.running.Wait()
	}()
}

// find returns the session of that id, or nil.
func (s *server) find(id string) *webSession {
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	for _, ws := range s.site.sessions {
		if ws.id == id {
			return ws
		}
	}
	return nil
}

// readBody reads what a client has posted. It answers the exchange and returns nil when
// that is no JSON, or too much of it.
func (s *server) readBody(w http.ResponseWriter, r *http.Request) *history.Message {
	if typeOf(r.Header) != jsonType {
		refuse(w, r, http.StatusUnsupportedMediaType, "Content-Type must be "+jsonType)
		return nil
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFrame))
	if err != nil {
		status := http.StatusBadRequest
		if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, r, status, "read the body: "+err.Error())
		return nil
	}
	m := protocol.Identify(raw)
	if m.Kind == history.Invalid && protocol.Members(m, s.version) == nil {
		refuseFrame(w, http.StatusBadRequest, "", damage(m.Raw))
		return nil
	}
	return m
}

// members are the messages of a frame, which may be a batch.
func (s *server) members(m *history.Message) []*history.Message {
	if members := protocol.Members(m, s.version); members != nil {
		return members
	}
	return []*history.Message{m}
}

// stay keeps whoever ends the session from waiting for its handlers until a frame is read,
// by which more may come. It reports false when the session is over.
func (ws *webSession) stay() bool {
	s := ws.server
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	alive := slices.Contains(s.site.sessions, ws)
	if alive {
		ws.running.Add(1)
	}
	return alive
}

// read acts on a frame, for which the session was made to stay. It does not wait for the
// network. It returns what there is to say against messages that cannot be answered under
// their ids.
func (ws *webSession) read(m *history.Message, l *lane) (refusals []protocol.RPCError) {
	defer ws.running.Done()
	ws.reads.Lock()
	defer ws.reads.Unlock()
	ws.receiveAll(m, arrival{lane: l, refuse: func(e protocol.RPCError) { refusals = append(refusals, e) }})
	return refusals
}

// asks reports whether one of the messages is a request.
func asks(members []*history.Message) bool {
	return slices.ContainsFunc(members, func(m *history.Message) bool { return m.Kind == history.Request })
}

// refuse answers an exchange with an error status, and says why. To a POST that is an error
// reply without an id: "The HTTP response body MAY comprise a JSON-RPC error response that
// has no id". To anything else it is no message of the protocol.
func refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if r.Method != http.MethodPost {
		http.Error(w, why, status)
		return
	}
	refuseFrame(w, status, "", protocol.RPCError{Code: protocol.InvalidRequest, Message: why})
}

// refuseFrame answers an exchange with an error status and an error reply.
func refuseFrame(w http.ResponseWriter, status int, id string, e protocol.RPCError) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	// Who has gone does not need it.
	_, _ = w.Write(protocol.AppendError(nil, id, e))
}

// sayAccepted answers a post in which there is no request.
func (s *server) sayAccepted(w http.ResponseWriter) {
	if s.defect != acceptsWithBody {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	// Who has gone does not need it.
	_, _ = w.Write([]byte(`{"accepted":true}`))
}

// notAllowed answers an exchange whose method the endpoint does not have.
func notAllowed(w http.ResponseWriter, r *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	refuse(w, r, http.StatusMethodNotAllowed, "the endpoint allows "+allowed)
}

// sameOrigin reports whether a request comes from no other site than the server's own:
// "Servers MUST validate the Origin header on all incoming connections".
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}
