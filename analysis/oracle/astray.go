package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// An answer went astray if it was written under an id that resembles that of its
// request: the request has none then, and its rule is told where the act is judged.
type astray struct {
	at    *history.Event // the writing of that answer; nil: none is known
	under string         // the rule that it breaks
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
