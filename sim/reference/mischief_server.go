package reference

import (
	"slices"
	"strconv"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// does reports whether the scenario has the server do that with the call.
func (c *call) does(kind string) bool { return slices.Contains(c.pranks, kind) }

// begin does the mischief that comes with the reading of a request, in the order of
// sim.ServerMischief.
func (n *session) begin(c *call, m *history.Message) {
	if n.env.Mischief == nil {
		return
	}
	c.pranks, c.control = n.env.Mischief(m.Call)
	var frames [][]byte
	for _, kind := range c.pranks {
		frames = append(frames, n.early(kind, c, m.Call)...)
	}
	if len(frames) == 0 {
		return
	}
	n.say(c.lane, frames...)
}

// early returns the frames of one kind of mischief at the reading of a request.
func (n *session) early(kind string, c *call, number int) [][]byte {
	switch kind {
	case sim.UnknownAnswer:
		return [][]byte{appendToolResult(nil, n.version, `"nobody-`+strconv.Itoa(number)+`"`, "an answer to nobody", nil)}
	case sim.TwinAnswer:
		if id, text := twinOf(c.id), n.earlier(c); id != "" && text != "" {
			return [][]byte{appendToolResult(nil, n.version, id, text, nil)}
		}
	case sim.UnknownProgress:
		return [][]byte{protocol.AppendProgress(nil, `"nobody-`+strconv.Itoa(number)+`"`, 1)}
	case sim.PingCancelled:
		if !protocol.Modern(n.version) && n.asks.claim(c.id) {
			return [][]byte{protocol.AppendRequest(nil, c.id, protocol.Ping, ""), protocol.AppendCancelled(nil, c.id, "no need")}
		}
	case sim.ForeignCancel:
		if n.asks.claim(c.id) {
			return [][]byte{protocol.AppendCancelled(nil, c.id, "it is not the server's")}
		}
	}
	return nil
}

// earlier returns the text of an earlier answer for a call whose id's twin is in
// nobody's hands; empty if there is none.
func (n *session) earlier(c *call) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.inflight[twinOf(c.id)] != nil {
		return ""
	}
	return n.spoken
}

// speak remembers the text of an answer to a call that nobody cancels.
func (n *session) speak(c *call, text string) {
	if !c.control {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spoken = text
}

// behind does the mischief that comes after the answer to a call. The caller has
// the turn.
func (n *session) behind(c *call, frame []byte) {
	if c.does(sim.SecondAnswer) {
		c.lane.write(frame)
	}
	if c.does(sim.LateProgress) && c.token != "" {
		c.lane.write(protocol.AppendProgress(nil, c.token, n.oneMore(c)))
	}
}
