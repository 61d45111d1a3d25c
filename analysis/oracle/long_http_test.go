package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What a call can come to over HTTP. What a beat of an exchange says is the frame that it
// was begun for.
func posted() []beat {
	return []beat{
		{history.Client, history.Issue, "", ""}, {history.Client, history.Begin, "call", ""},
		{history.Client, history.Write, "call", ""}, {history.Client, history.Wrote, "call", ""},
		{history.Server, history.Begin, "call", ""}, {history.Server, history.Read, "call", ""},
		{history.Server, history.Start, "", ""}, {history.Server, history.End, "", ""},
		{history.Server, history.Status, "call", ""},
		{history.Server, history.Write, "result", ""}, {history.Server, history.Wrote, "result", ""}, {history.Server, history.Finish, "call", ""},
		{history.Client, history.Status, "call", ""}, {history.Client, history.Read, "result", ""}, {history.Client, history.Finish, "call", ""},
		{history.Client, history.Return, "", ""},
	}
}

// dropped is how a call is cancelled since 2026-07-28.
func dropped() []beat {
	return []beat{
		{history.Client, history.Issue, "", ""}, {history.Client, history.Begin, "call", ""},
		{history.Client, history.Write, "call", ""}, {history.Client, history.Wrote, "call", ""},
		{history.Server, history.Begin, "call", ""}, {history.Server, history.Read, "call", ""}, {history.Server, history.Start, "", ""},
		{history.Client, history.Cancel, "", "cancel"}, {history.Client, history.Drop, "call", "canceled"}, {history.Client, history.Return, "", "canceled"},
		{history.Server, history.Gone, "call", ""}, {history.Server, history.Told, "", "canceled"}, {history.Server, history.End, "", "canceled"},
		{history.Server, history.Finish, "call", ""},
	}
}

// onExchange gives an event what it has of its exchange and its client.
func (l *longTalk) onExchange(e *history.Event, c *talkingCall, b beat) {
	if e.Side == history.Client || b.says != "" {
		e.Client = l.client(c.n)
	}
	switch {
	case b.says == "":
		return
	case b.kind == history.Begin && b.side == history.Client:
		l.exchanges++
		c.on[b.says] = l.exchanges
		e.HTTP = &history.HTTPHead{Method: "POST", Accept: jsonType + ", " + streamType, Version: modernVersion, MCPMethod: "tools/call", MCPName: "tool"}
	case b.kind == history.Begin:
		e.HTTP = &history.HTTPHead{Method: "POST"}
	case b.kind == history.Status:
		e.HTTP = &history.HTTPHead{Status: 200, ContentType: streamType}
	}
	e.Exchange = c.on[b.says]
	if b.says == "result" {
		e.Exchange = c.on["call"]
	}
}
