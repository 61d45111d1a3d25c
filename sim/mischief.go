package sim

import (
	"slices"
	"strconv"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Mischief is what our own peers do on purpose with one call and SDKs never do.
// Some of it is legal, and puts the other side to the test; some breaks a rule,
// see breaches. Its zero value is an ordinary call.
type Mischief struct {
	// ID is the id of the call's request, raw JSON; empty: the client counts.
	ID string `json:"id,omitempty"`
	// Reuse has the client take, instead of ID, that of an earlier request, if there
	// is one: ReusedAfter or ReusedBefore.
	Reuse string `json:"reuse,omitempty"`
	// Together has the client hold the request back until its caller gives up, and
	// then write it and its cancel in one Write.
	Together bool `json:"together,omitempty"`
	// Batch has the client hold the request back until it sends another, or a cancel,
	// and then send both as one batch, where the protocol version has batches. It waits
	// for a moment at most.
	Batch bool `json:"batch,omitempty"`
	// Strays are cancels that the client writes around the request and that are not
	// for it, by kind; see StrayKinds.
	Strays []string `json:"strays,omitempty"`
	// Server is what the server does with the call, by kind; see ServerMischief.
	Server []string `json:"server,omitempty"`
}

// The kinds of request ids. The call's number among those of its client is n.
const (
	Counting     = "counting"      // n+1
	Zero         = "zero"          // 0, of one call of a client; its others count
	Stringy      = "string"        // "call-n"
	Twins        = "twins"         // by turns a number, and the string of the same digits
	Negative     = "negative"      // -n
	Huge         = "huge"          // above 2^53, where neighbours are one float64
	ReusedAfter  = "reused-after"  // that of the request that was answered last: legal since 2026-07-28
	ReusedBefore = "reused-before" // that of a request in flight, against the rule
	Fractional   = "fractional"    // n.5, against the rule
	Null         = "null-id"       // null, against the rule
)

// IDKinds returns the kinds of request ids.
func IDKinds() []string {
	return []string{Counting, Zero, Stringy, Twins, Negative, Huge, ReusedAfter, ReusedBefore, Fractional, Null}
}

// The kinds of stray cancels. All but TwinID stand right in front of the request
// that they are drawn for, which shows whether the server is still well.
const (
	Finished     = "finished"   // names the request that was answered last, of those that made no task
	Unknown      = "unknown"    // names an id that was never used
	Foreign      = "foreign"    // names an id that only the server has used, for what it asks
	OfInitialize = "initialize" // names the initialize of the session: legacy era
	TwinID       = "twin-id"    // right behind the request: names its id as the other JSON type
	NoParams     = "no-params"
	NoID         = "no-id"     // params without requestId
	NullID       = "null-id"   // requestId is null; so likewise the next two
	BoolID       = "bool-id"   // true
	ObjectID     = "object-id" // {}
	ArrayParams  = "array-params"
	ExtraMembers = "extra"   // unknown, and with members that the schema does not have
	WithRPCID    = "with-id" // unknown, and with an id of its own, which makes it a request
)

// StrayKinds returns the kinds of stray cancels.
func StrayKinds() []string {
	return []string{Finished, Unknown, Foreign, OfInitialize, TwinID, NoParams, NoID, NullID, BoolID, ObjectID, ArrayParams, ExtraMembers, WithRPCID}
}

// What a server does on purpose.
const (
	LateAnswer      = "late-answer"      // answers a cancelled call
	SecondAnswer    = "second-answer"    // answers twice
	UnknownAnswer   = "unknown-answer"   // on reading the request, answers an id that nobody has used
	TwinAnswer      = "twin-answer"      // likewise the call's id as the other JSON type, with an earlier call's text
	LateProgress    = "late-progress"    // reports progress behind the answer
	UnknownProgress = "unknown-progress" // reports progress under a token that nobody has given
	PingCancelled   = "ping-cancelled"   // legacy: pings under the call's own id, which is legal, and cancels its ping
	ForeignCancel   = "foreign-cancel"   // cancels the client's request
)

// ServerMischief returns what a server can do on purpose.
func ServerMischief() []string {
	return []string{LateAnswer, SecondAnswer, UnknownAnswer, TwinAnswer, LateProgress, UnknownProgress, PingCancelled, ForeignCancel}
}

// Which progress tokens calls get.
const (
	OwnTokens    = "own"    // each its own
	ReusedTokens = "reused" // each caller's calls the same, one after the other
	SharedTokens = "shared" // all the same, in flight or not: against the rule
)

// A Share is a kind of mischief and of how many calls it befalls, 0 to 1.
type Share struct {
	Kind  string
	Share float64
}

// An IDKind is a kind of request id, and how often it is given.
type IDKind struct {
	Kind   string // see IDKinds
	Weight int    // its share of the calls is Weight in the sum of weights
}

// ofClient reports whether it asks something of the client.
func (m *Mischief) ofClient() bool {
	return m.ID != "" || m.Reuse != "" || m.Together || m.Batch || len(m.Strays) > 0
}

// drawMischief draws what is done on purpose with each call. A call whose id the
// server does not have to accept is always given up in the end, since nobody owes
// it an answer.
func (s *Schedule) drawMischief(sc *Scenario) {
	var ids idDrawer
	for i := range s.Calls {
		c := &s.Calls[i]
		_, own := sc.Load.place(c.Call)
		if own == 0 { // each client has ids of its own
			ids = idDrawer{kinds: sc.Load.IDs}
		}
		m := Mischief{
			Strays: drawShares("stray ", sc.Cancel.Strays, s.Seed, c.Call),
			Server: drawShares("mischief ", sc.Mischief, s.Seed, c.Call),
		}
		if len(ids.kinds) > 0 && ids.draw(&m, NewStream(s.Seed, "id", c.Call), own+1) && !c.cancelled() {
			c.Cancel = &c.Life
		}
		if c.cancelled() && sc.Cancel.Together > 0 && NewStream(s.Seed, "together", c.Call).Float64() < sc.Cancel.Together {
			at := NewStream(s.Seed, "together", -c.Call).Dithered(Fixed(0))
			c.Cancel, c.Aim, c.Deadline, m.Together = &at, nil, false, true
		}
		m.Batch = !m.Together && sc.Load.Batch > 0 && NewStream(s.Seed, "batch", c.Call).Float64() < sc.Load.Batch
		if m.ofClient() || len(m.Server) > 0 {
			c.Mischief = &m
		}
		c.Token = tokenOf(sc.Load.Tokens, c, own+1)
	}
}

func (c *ScheduledCall) cancelled() bool { return c.Cancel != nil || c.Aim != nil }

// tokenOf returns the progress token of a call that asks for progress, empty for
// its own. Of several clients each counts by itself: number is the call's among those of
// its client.
func tokenOf(which string, c *ScheduledCall, number int) string {
	switch {
	case !c.Progress:
	case which == SharedTokens:
		return "p"
	case which == ReusedTokens:
		return "p-of-caller-" + strconv.Itoa(c.Caller)
	case c.Client > 0:
		return "p" + strconv.Itoa(number)
	}
	return ""
}

func drawShares(label string, shares []Share, seed uint64, call int) []string {
	var out []string
	for _, s := range shares {
		if NewStream(seed, label+s.Kind, call).Float64() < s.Share {
			out = append(out, s.Kind)
		}
	}
	return out
}

// An idDrawer gives ids to the calls of a world, in their order.
type idDrawer struct {
	kinds []IDKind
	zero  bool   // given
	twin  string // the digits of a number whose twin comes next; empty: none
}

// draw reports whether the server need not accept the id. call is the call's number
// among those of its client, so that clients give the same ids.
func (d *idDrawer) draw(m *Mischief, chance *Stream, call int) (dubious bool) {
	kind := pick(d.kinds, func(k IDKind) int { return k.Weight }, chance).Kind
	m.ID = strconv.Itoa(call + 1)
	switch kind {
	case Zero:
		if !d.zero {
			d.zero, m.ID = true, "0"
		}
	case Stringy:
		m.ID = `"call-` + strconv.Itoa(call) + `"`
	case Twins:
		if d.twin != "" {
			m.ID, d.twin = `"`+d.twin+`"`, ""
		} else {
			d.twin = m.ID
		}
	case Negative:
		m.ID = strconv.Itoa(-call)
	case Huge:
		m.ID = strconv.FormatInt(1<<53+int64(call), 10)
	case ReusedAfter, ReusedBefore:
		m.Reuse = kind
	case Fractional:
		m.ID += ".5"
	case Null:
		m.ID = "null"
	}
	return kind == Fractional || kind == Null || kind == ReusedBefore
}

// breaches lists the rules that a scenario has a peer break on purpose at a
// protocol version, each behind the side: "client:ID-NO-REUSE-L". What a side
// cannot do is not listed.
func breaches(sc *Scenario, version string, client, server bool) []string {
	var out []string
	add := func(side string, rules []string) {
		for _, r := range rules {
			if r = side + ":" + r; !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	if sc.Load.Tokens == SharedTokens {
		add("client", []string{"PROGRESS-TOKEN-UNIQUE"}) // tokens are the application's
	}
	if client {
		for _, k := range sc.Load.IDs {
			add("client", idBreaches(k.Kind, version))
		}
		for _, s := range sc.Cancel.Strays {
			add("client", strayBreaches(s.Kind))
		}
	}
	if server {
		for _, s := range sc.Mischief {
			add("server", serverBreaches(s.Kind, version))
		}
	}
	return out
}

func idBreaches(kind, version string) []string {
	switch kind {
	case ReusedAfter:
		if !protocol.Modern(version) {
			return []string{"ID-NO-REUSE-L"}
		}
	case ReusedBefore:
		if protocol.Modern(version) {
			return []string{"ID-NO-REUSE-M", "RETRY-NEW-ID"} // whose stream may be lost
		}
		return []string{"ID-NO-REUSE-L"}
	case Fractional:
		return []string{"ID-TYPE", "CANCEL-HAS-ID"}
	case Null:
		return []string{"ID-TYPE", "ID-NOT-NULL", "CANCEL-HAS-ID"}
	}
	return nil
}

func strayBreaches(kind string) []string {
	switch kind {
	case Finished, OfInitialize: // the first request that is over may be that
		return []string{"CANCEL-INIT", "CANCEL-ONLY-INPROGRESS"}
	case TwinID: // which may be the id of another request
		return []string{"CANCEL-ONLY-ISSUED", "CANCEL-ONLY-INPROGRESS"}
	case Unknown, ExtraMembers:
		return []string{"CANCEL-ONLY-ISSUED"}
	case Foreign:
		return []string{"CANCEL-ONLY-ISSUED", "CANCEL-SAME-DIRECTION"}
	case WithRPCID:
		return []string{"CANCEL-NO-RPC-ID"}
	case NoParams, NoID:
		return []string{"CANCEL-HAS-ID"}
	}
	return []string{"CANCEL-HAS-ID", "CANCEL-ONLY-ISSUED"}
}

func serverBreaches(kind, version string) []string {
	switch kind {
	case LateAnswer:
		return []string{"CANCEL-NO-RESPONSE", "CANCEL-SILENCE"}
	case SecondAnswer:
		return []string{"RESP-ONCE"}
	case UnknownAnswer, TwinAnswer:
		return []string{"RESP-SAME-ID"}
	case LateProgress:
		return []string{"PROGRESS-STOP", "PROGRESS-ACTIVE"}
	case UnknownProgress:
		return []string{"PROGRESS-ACTIVE"}
	case ForeignCancel:
		if protocol.Modern(version) {
			return []string{"CANCEL-SERVER-FORBIDDEN", "CANCEL-ONLY-ISSUED"}
		}
		return []string{"CANCEL-ONLY-ISSUED", "CANCEL-SAME-DIRECTION"}
	}
	return nil
}

// wanting says what the scenario asks for that the two targets cannot do, and
// the cure.
func wanting(cfg WorldConfig) []string {
	var out []string
	ask := func(asked bool, what string) {
		if asked {
			out = append(out, "client "+cfg.Client.Name+" "+what+"; add --client reference")
		}
	}
	sc := cfg.Scenario
	if !cfg.Client.Unruly {
		ask(len(sc.Load.IDs) > 0, "chooses its ids itself")
		ask(sc.Cancel.Together > 0, "writes no cancel together with its request")
		ask(len(sc.Cancel.Strays) > 0, "writes no stray cancels")
		ask(sc.Load.Batch > 0 && protocol.Batches(cfg.SpecVersion), "sends no batches")
	}
	if sc.Load.Batch > 0 && !protocol.Batches(cfg.SpecVersion) {
		out = append(out, cfg.SpecVersion+" has no batches")
	}
	if len(sc.Mischief) > 0 && !cfg.Server.Unruly {
		out = append(out, "server "+cfg.Server.Name+" does no mischief; add --server reference")
	}
	return out
}
