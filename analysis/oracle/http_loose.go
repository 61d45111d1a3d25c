package oracle

// Before 2026-07-28 a cancel is a POST of its own, and names its request by nothing but an
// id. Ids are unique in a session. Where there is none, every client of the server may use
// the same, and it may keep nothing from one POST to the next:
//
//	client 1  ──POST: call, id 7──▶  ▶ work …
//	client 2       ──POST: call, id 7──▶  ▶ work …
//	client 1            ──POST: cancel 7──▶          whose?
//
// To heed such a cancel may hit the wrong call; not to heed it is to ignore one whose
// request is unknown, which a receiver may. So may a server refuse the POST by a status of
// 4xx, by which the client knows that it was not taken. Neither is held against it. One
// that tells the handler in that instant all the same has found out whose it was, and is
// judged by that; if it tells it later, that may have any reason.

// Why something was not counted, of a cancel that was posted.
const (
	whyNoSession = "a cancel without a session, which nothing but its id ties to a request"
	whyNotTaken  = "the server refused the POST of the cancel, and so did not take it"
)

// IsLoose reports whether something was not counted because a cancel need not have meant
// anything to the server that read it.
func IsLoose(why string) bool { return why == whyNoSession || why == whyNotTaken }

// heeded reports whether the handler of c was told at once when the cancel had been read.
func (x *index) heeded(c *call) bool { return x.telling(c) != nil && x.toldLate(c) == nil }

// whyLoose tells why the cancel of c that was read need not mean anything to the server; ""
// if it does.
func (x *index) whyLoose(c *call) string {
	f, on := c.req.readCancel, c.req.frame.on
	switch {
	case x.transport != StreamableHTTP || x.modern || x.swapped || f == nil || f.on == nil || on == nil:
		return ""
	case on.versions != nil && on.session == nil:
		return whyNoSession
	case f.on.refused() && f.on.answersWith() < 500:
		return whyNotTaken
	}
	return ""
}
