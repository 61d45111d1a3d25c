package reference

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What the mutants of HTTP do, at the moments that the names say. With the strict peers
// nothing happens.

// afterDisconnect runs when the client has gone whose exchange carried the stream, in the
// legacy era.
func (ws *webSession) afterDisconnect(st *stream) {
	if ws.defect != disconnectCancels {
		return
	}
	for _, c := range ws.openOn(st.lane) {
		ws.cancelled(&history.Message{Kind: history.Notification, Method: protocol.Cancelled, Ref: c.id})
	}
}

// openOn returns the calls that are to be answered by the lane, in the order of their ids.
func (n *session) openOn(l *lane) []*call {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []*call
	for _, c := range n.inflight {
		if c.lane == l {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *call) int { return slices.Compare([]byte(a.id), []byte(b.id)) })
	return out
}

// tellsNobody reports whether a mutant does not tell the handler that the client has gone.
func (n *session) tellsNobody() bool { return n.defect == ignoresDisconnect }

// besidesGone runs when the client of a modern exchange has gone.
func (n *session) besidesGone() {
	if n.defect != hitsSiblings {
		return
	}
	for _, other := range n.others() {
		for _, c := range other.openOn(other.lane) {
			c.tell()
			return
		}
	}
}

// others are the other sessions that the server serves.
func (n *session) others() []*session {
	return slices.DeleteFunc(n.served(), func(o *session) bool { return o == n })
}

// afterLastWord runs when all is said that there is to say by a lane, before the exchange
// that carries it ends. One of the others is closed when the exchange has to end.
func (n *session) afterLastWord(st *stream, others ...<-chan struct{}) {
	if n.defect == keepsExchanges && st.lane.dead() || n.defect == neverTerminates && !st.lane.dead() && !st.plain {
		select {
		case <-others[0]:
		case <-others[1]:
		}
	}
}

// staysOn runs when the client of a modern exchange has gone, before the exchange ends.
func (n *session) staysOn(l *lane) {
	if n.defect == none {
		return
	}
	<-l.over // it may have more to say
	if n.defect == keepsExchanges {
		<-n.site.stopping
	}
}

// afterGone runs when the exchange of a modern request ends because its client has gone.
func (n *session) afterGone() {
	if n.defect == panicsOnCancel {
		panic("the client of a call has gone")
	}
}

// beforeAccepting runs when a frame without a request has been acted on, before that is
// said. named is the call that it cancels, nil if it cancels none; done is closed when the
// client has gone.
func (ws *webSession) beforeAccepting(named *call, done <-chan struct{}) {
	if ws.defect == panicsOnCancel && named != nil {
		panic("a call has been cancelled")
	}
	if ws.defect != holdsCancelPosts || named == nil {
		return
	}
	select {
	case <-named.lane.over:
	case <-ws.gone:
	case <-done:
	}
}

// callOf returns the call with that id that is in flight, or nil.
func (n *session) callOf(id string) *call {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inflight[id]
}

// besidesReplay is what is said besides what a stream replays. It is asked before the
// stream's turn is taken, since two that are resumed at a time would wait for each other's.
func (ws *webSession) besidesReplay(st *stream) (out []event) {
	if ws.defect != replaysAll {
		return nil
	}
	ws.mu.Lock()
	all := slices.Clone(ws.streams)
	ws.mu.Unlock()
	for _, other := range all {
		if other == st {
			continue
		}
		other.lane.take()
		out = append(out, other.kept...)
		other.lane.yield()
	}
	return out
}

// behind is the number of the event behind which a stream is replayed to a client that has
// that one.
func (st *stream) behind(number int) int {
	switch st.defect {
	case rewindsStreams:
		return 0
	case skipsReplays:
		return st.next - 1
	}
	return number
}

// idOf is the id of the stream's next event.
func (st *stream) idOf() string {
	id := strconv.Itoa(st.next)
	switch st.defect {
	case repeatsEventIDs:
		return id
	case closesBare:
		return ""
	}
	return strconv.Itoa(st.number) + "-" + id
}

// afterEvent runs when an event has been written. The caller has the turn.
func (st *stream) afterEvent() {
	early := st.defect == closesEarly || st.defect == closesBare
	if early && st.number > 0 && st.next == 2 && st.carrier != nil && !st.lane.dead() {
		st.detach(st.carrier)
	}
}

// wait is how long the client is told to wait before it resumes the stream; negative: it is
// not told.
func (st *stream) wait(d time.Duration) time.Duration {
	if st.defect == hidesRetry {
		return -1
	}
	return d
}

// hurries reports whether a client does not wait before it resumes a stream.
func (c *cursor) hurries() bool { return c.link.defect == hurriesBack }

// progressLane is where the progress of c goes.
func (n *session) progressLane(c *call) *lane {
	sessions := []*session{n}
	switch {
	case n.defect == leaksToClients && n.exchange == nil, n.defect == mixesStreams && n.exchange != nil:
		sessions = n.others()
	case n.defect != mixesStreams:
		return c.lane
	}
	for _, other := range sessions {
		if l := other.streaming(c); l != nil {
			return l
		}
	}
	return c.lane
}

// streaming returns the lane of a call other than c that is answered by a stream of its own;
// nil if there is none.
func (n *session) streaming(c *call) *lane {
	n.mu.Lock()
	defer n.mu.Unlock()
	ids := make([]string, 0, len(n.inflight))
	for id, other := range n.inflight {
		if st, ok := other.lane.out.(*stream); ok && !st.plain && other != c {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return n.inflight[slices.Min(ids)].lane
}

// elsewhere runs when a cancel has been read.
func (n *session) elsewhere(id string) {
	if n.defect != cancelsEverywhere {
		return
	}
	for _, other := range n.others() {
		if c := other.callOf(id); c != nil && !c.fixed {
			c.tell()
		}
	}
}

// besideResponse runs when c has been answered by frame. The caller has the turn of the
// call's lane.
func (n *session) besideResponse(c *call, frame []byte) {
	if st, ok := c.lane.out.(*stream); n.defect != broadcasts || c.lane == n.lane || !ok || st.plain {
		return
	}
	n.lane.take()
	defer n.lane.yield()
	n.lane.write(frame) // an outlet over HTTP keeps a copy
}

// keeps reports whether a mutant does not end a session that it is asked to end.
func (ws *webSession) keeps() bool { return ws.defect == keepsSessions }

// spoilt sends a message whose head is not as it should be: a notification, or in the
// modern era, which has none, a request.
func (c *client) spoilt(spoil func(http.Header)) {
	l := c.link
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.modern {
		l.enqueue(&outgoing{line: append(protocol.AppendNotification(nil, rootsChanged, ""), '\n'), spoil: spoil})
		return
	}
	id := l.newID(nil)
	frame := protocol.AppendProbe(nil, id, c.caller)
	l.enqueue(&outgoing{line: append(frame, '\n'), request: true, spoil: spoil})
}

// postsAgain reports whether a mutant posts a request once more whose stream was lost.
func (p *post) postsAgain(err error) bool {
	if p.web.link.defect != retriesSameID || err == nil || p.again || !p.asks() || p.done() {
		return false
	}
	p.again = true
	return true
}

const rootsChanged = "notifications/roots/list_changed"

// without has a header taken away.
func without(name string) func(http.Header) {
	return func(h http.Header) { h.Del(name) }
}

// afterWebHandshake runs when a session over HTTP has begun.
func (c *client) afterWebHandshake() {
	switch c.defect {
	case acceptsLittle:
		c.spoilt(func(h http.Header) { h.Set("Accept", jsonType) })
	case forgetsSession:
		c.spoilt(without(protocol.HeaderSession))
	case forgetsVersion:
		c.spoilt(without(protocol.HeaderVersion))
	case forgetsMethod:
		c.spoilt(without(protocol.HeaderMethod))
	case postsTogether:
		note := protocol.AppendNotification(nil, rootsChanged, "")
		c.link.mu.Lock()
		defer c.link.mu.Unlock()
		c.link.add(protocol.AppendBatch(nil, note, note))
	}
}
