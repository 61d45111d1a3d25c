package reference

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A subscription is a subscriptions/listen that the server has acknowledged and not
// ended.
type subscription struct {
	call  *call
	tools bool     // to be told when the list of tools changes
	uris  []string // resources to be told of
}

// listen opens a subscription and blocks until it has ended. It returns the
// response that ends it, or nil where none is due: the client cancelled it, or the
// session is over.
func (n *session) listen(c *call, params string) []byte {
	asked := protocol.Member(params, "notifications")
	if !strings.HasPrefix(asked, "{") {
		return c.refusal(*invalidParams("notifications is missing"))
	}
	var filter struct {
		ToolsListChanged      bool     `json:"toolsListChanged"`
		ResourceSubscriptions []string `json:"resourceSubscriptions"`
	}
	if err := json.Unmarshal([]byte(asked), &filter); err != nil {
		return c.refusal(*invalidParams("notifications: " + err.Error()))
	}
	s := &subscription{call: c, tools: filter.ToolsListChanged, uris: filter.ResourceSubscriptions}
	if n.open(s) || !s.asks() {
		n.unlist(s)
		return protocol.AppendListened(nil, c.id)
	}
	<-c.ctx.Done()
	n.unlist(s)
	return n.listened(s)
}

// asks reports whether there is anything to tell s of.
func (s *subscription) asks() bool { return s.tools || len(s.uris) > 0 }

// agreed is what the server agreed to tell, as the acknowledgement has it.
func (s *subscription) agreed() string {
	var out []string
	if s.tools {
		out = append(out, `"toolsListChanged":true`)
	}
	if len(s.uris) > 0 {
		var uris []string
		for _, uri := range s.uris {
			uris = append(uris, quote(uri))
		}
		out = append(out, `"resourceSubscriptions":[`+strings.Join(uris, ",")+`]`)
	}
	return strings.Join(out, ",")
}

// open acknowledges a subscription, unless it has been cancelled meanwhile, and
// lists it, so that nothing is told before. It reports whether the server has
// retired.
func (n *session) open(s *subscription) (retired bool) {
	s.call.lane.take()
	defer s.call.lane.yield()
	n.mu.Lock()
	closed, retired := n.shut(s.call), n.retired
	if !closed {
		n.subs = append(n.subs, s)
	}
	n.mu.Unlock()
	if !closed {
		n.beforeAcknowledging(s)
		s.call.lane.write(protocol.AppendAcknowledged(nil, s.call.id, s.agreed()))
	}
	return retired
}

// unlist forgets a subscription that is over.
func (n *session) unlist(s *subscription) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.subs = slices.DeleteFunc(n.subs, func(o *subscription) bool { return o == s })
}

// tell writes a change to every open subscription that wants it, one after the
// other. A subscription that is cancelled meanwhile is told nothing.
func (n *session) tell(method, uri string, wants func(*subscription) bool) {
	n.mu.Lock()
	subs := slices.Clone(n.subs)
	n.mu.Unlock()
	for _, s := range subs {
		if n.keepsSecret() || !wants(s) && !n.tellsAll() {
			continue
		}
		s.call.lane.take()
		if n.stillOpen(s) {
			s.call.lane.write(protocol.AppendChanged(nil, method, n.tagOf(s), uri))
		}
		s.call.lane.yield()
	}
}

func (n *session) stillOpen(s *subscription) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.shut(s.call)
}

// retire ends every open subscription by its response, and those to come as soon
// as they have begun.
func (n *session) retire() {
	n.mu.Lock()
	n.retired = true
	subs := slices.Clone(n.subs)
	n.mu.Unlock()
	n.beforeRetiring()
	for _, s := range subs {
		n.answer(s.call, protocol.AppendListened(nil, s.call.id))
	}
}

// retireAfter has the session retire and end when ctx does. The function that it
// returns calls that off, or waits for it if it has begun.
func (n *session) retireAfter(ctx context.Context) func() {
	done := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(done)
		n.retire()
		n.end(context.Cause(ctx))
	})
	return func() {
		if !unhook() {
			<-done
		}
	}
}

// listTools lists the tools of the moment.
func (n *session) listTools(c *call, _ string) []byte {
	return protocol.AppendResult(nil, c.id, listResult(n.version, "tools", n.toolsNow(), toolLister(n.env)))
}

// A publisher is what a server has for changes: the sessions that it serves, and the tool
// that comes and goes.
type publisher struct {
	mu       sync.Mutex // guards the rest
	sessions []*session // that are served, oldest first
	extra    *sim.Tool  // nil: it is not there
}

// serving lists a session, left takes it off the list.
func (p *publisher) serving(n *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = append(p.sessions, n)
}

func (p *publisher) left(n *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = slices.DeleteFunc(p.sessions, func(o *session) bool { return o == n })
}

func (p *publisher) served() []*session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sessions)
}

// publish tells all sessions of a change. Over HTTP, where there may be many, none waits
// for another.
func (s *server) publish(method, uri string, wants func(*subscription) bool) {
	if !s.overHTTP() {
		for _, n := range s.served() {
			n.tell(method, uri, wants)
		}
		return
	}
	s.publisher.mu.Lock()
	defer s.publisher.mu.Unlock()
	for _, n := range s.publisher.sessions {
		n.running.Go(func() { n.tell(method, uri, wants) }) // who is listed has not ended
	}
}

// ChangeTools adds the tool to the list, or takes it away, and tells those who
// listen.
func (s *server) ChangeTools(extra sim.Tool, there bool) {
	s.publisher.mu.Lock()
	s.extra = nil
	if there {
		s.extra = &extra
	}
	s.publisher.mu.Unlock()
	s.publish(protocol.ToolsChanged, "", func(s *subscription) bool { return s.tools })
}

// ChangeResource tells those who listen that the resource has changed.
func (s *server) ChangeResource(uri string) {
	s.publish(protocol.ResourceUpdated, uri, func(s *subscription) bool { return slices.Contains(s.uris, uri) })
}

func (s *server) toolsNow() []sim.Tool {
	s.publisher.mu.Lock()
	defer s.publisher.mu.Unlock()
	if s.extra == nil {
		return s.env.Tools
	}
	return append(slices.Clone(s.env.Tools), *s.extra)
}
