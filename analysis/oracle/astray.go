package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// An answer went astray if it was written under an id that resembles that of its
// request: the request has none then, and its rule is told where the act is judged.
type astray struct {
	at    *history.Event // the writing of that answer; nil: none is known
	under string         // the rule that it breaks
}

// misnamed reports whether the reply f, which has the id of one request, comes as the
// response of an HTTP exchange that carries another one alone, whose id resembles it: it
// is that one's answer, and went astray. So the request that it names is not answered
// by it.
func (b *builder) misnamed(f *frame) bool {
	if f.on == nil || len(f.on.asks) != 1 || f.on.asks[0] == f.req || b.real(f.side) != history.Server {
		return false
	}
	r := f.on.asks[0]
	lookalikes(f.msg.ID, func(id string) {
		if id == r.frame.msg.ID {
			f.meant = r
		}
	})
	if f.meant == nil {
		return false
	}
	if r.astray.at == nil {
		r.astray = astray{f.write, "RESP-SAME-ID"}
	}
	f.req.foreign = f
	return true
}

// noteAstray notes whose answer f may be, which has the id of nothing that still
// waits for one: of a request of almost that id whose handler has returned.
func (b *builder) noteAstray(f *frame, under string) {
	asker := seat(f.side.Peer())
	found := false
	lookalikes(f.msg.ID, func(id string) {
		r := b.ids[asker][id]
		if found || r == nil || r.first != nil || r.astray.at != nil || r.call == nil || r.call.end == nil {
			return
		}
		r.astray, found = astray{f.write, under}, true
	})
}
