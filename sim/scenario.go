package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Scenario is the declarative intent of a run: what is done, how often, over
// which network and within which limits. It holds no chance; [Expand] adds a
// seed. [Parse] reads one with every default filled in, so a Scenario states
// everything that it means.
//
// Client, Server and SpecVersions are only what is taken when nobody asks for
// something else. What is asked of the targets does not depend on them.
type Scenario struct {
	Name         string // as its file is called, without .yaml: lower case, digits and hyphens
	Summary      string // one line
	Transport    string // see Transports
	HTTP         HTTPPlan
	SpecVersions []string
	Client       string // a target's name
	Server       string
	Load         Load
	Network      Network
	Handlers     []Handler // at least one
	Cancel       CancelPlan
	Mischief     []Share    // what a server that can does on purpose, by kind; nil: nothing
	Changes      ChangePlan // the zero ChangePlan: nothing changes
	End          EndPlan    // the zero EndPlan: closed once everything is quiet
	Scheduler    string     // Shuffled or FIFO
	Limits       Limits
	Require      []Requirement // may be empty
	// Unphysical permits faults that the transport cannot have. No transport of
	// this version has any to offer, so it has to be false.
	Unphysical bool
}

// The orders in which the runtime of a world runs goroutines that could all run.
const (
	Shuffled = "shuffled" // by the scheduler's seed
	FIFO     = "fifo"     // first in, first out, as the Go runtime does it
)

// A Network is the link between the two sides.
type Network struct {
	// Profile is the name of the profile that the directions were taken from, for
	// people to read; empty when there was none.
	Profile string
	// Both directions are spelt out, also where they come from the profile.
	ClientToServer Link
	ServerToClient Link
}

// A Link is one direction of a network.
type Link struct {
	Delay     Distribution // of each frame; a later frame never overtakes an earlier one
	Bandwidth int64        // bits per second, a multiple of 8; 0: unlimited
	Buffer    int64        // bytes under way before a writer has to wait; never 0
	// What follows is absent from a link that has the zero value of it. See
	// [netem.Direction] for what each does.
	Correlation     float64       // of delays, 0 to netem.MaxCorrelation
	CorrelationTime time.Duration // 0 if and only if Correlation is
	Stall           netem.Stall   // when a writer has to wait although there is room
	Coalesce        Distribution  // how long arrivals are held back to be handed over together
	Split           netem.Split   // into pieces that arrive by themselves
	Loss            float64       // share of the segments that are lost and sent again, 0 to netem.MaxLoss; stdio: 0
}

// A Handler is one kind of tool of the simulated server, and how often it is
// called.
type Handler struct {
	Kind    string       // see HandlerKinds
	Weight  int          // its share of the calls is Weight in the sum of weights
	Work    Distribution // how long the tool takes when nobody stops it; instant: zero
	Every   Distribution // checkpoint and chatty: from one look, or report, to the next; polling: how long the client is to stay away; otherwise zero
	Cleanup Distribution // slow-cleanup: how long it takes to stop; otherwise zero
	Asks    Question     // asking: what it asks the client; otherwise zero
}

// The kinds of tools.
const (
	Cooperative = "cooperative"  // stops at once when it is told
	Checkpoint  = "checkpoint"   // looks every now and then, and stops when it sees that it was told
	SlowCleanup = "slow-cleanup" // when it is told, tidies up for a while and then stops
	Chatty      = "chatty"       // reports progress every now and then; stops at once
	Stubborn    = "stubborn"     // never looks
	Leaky       = "leaky"        // when it is told, leaves behind a goroutine and a resource
	Swallow     = "swallow"      // stops at once, and answers as if nothing had happened
	Instant     = "instant"      // returns at once, told or not
	Panicking   = "panicking"    // panics when it is told
	Child       = "child"        // has a goroutine of its own do the work, which stops at once
	Asking      = "asking"       // asks the client something in the middle of its work; stops at once
	Polling     = "polling"      // has the client come back for the rest in the middle of its work, see Dismiss; stops at once
)

// HandlerKinds returns the kinds of tools.
func HandlerKinds() []string {
	return []string{Cooperative, Checkpoint, SlowCleanup, Chatty, Stubborn, Leaky, Swallow, Instant, Panicking, Child, Asking, Polling}
}

// Limits bound a world in virtual time.
type Limits struct {
	Horizon time.Duration // what has not happened by then counts as never
	Settle  time.Duration // how long the world is left alone after the last call, and after closing
}

// A Requirement is something that a run of the scenario has to exercise, in
// order to mean anything: at least one of the rules, at each of the versions.
type Requirement struct {
	AnyOf        []string // ids of rules
	SpecVersions []string // empty: at every version that is run
}

// Bounds of a scenario.
const (
	MaxCalls   = 100_000 // of one world, by all its clients
	MaxCallers = 1_000   // of one client
	MaxClients = 1_000   // of one world

	maxHandlers    = 100
	maxWeight      = 1_000_000
	maxSteps       = 100_000 // looks or reports of one call
	maxDelay       = time.Hour
	maxHorizon     = 100 * 24 * time.Hour
	maxHandlerTime = 24 * time.Hour
	maxBandwidth   = 1_000_000_000_000 // bits a second
	minBuffer      = 1 << 10
	maxBuffer      = 1 << 30
	minRate        = 0.001 // calls a second
	maxRate        = 1_000_000
	maxRepeat      = 100
	maxReason      = 200 // bytes
)

// SpecVersions returns the protocol versions that this version of mcpsim speaks,
// oldest first.
func SpecVersions() []string { return protocol.Versions() }

// defaultSpecVersions are the newest of each era that have the transport. An older one
// says of cancelling nothing that its era's newest does not, and the first one less.
func defaultSpecVersions(transport string) []string {
	if transport == HTTPSSE {
		return []string{protocol.V20241105}
	}
	return []string{protocol.V20251125, protocol.V20260728}
}

// defaultScenario is what a file that leaves something out gets. What a file has
// to say is not in it, nor is what follows from something else: the network from
// its profile, and the settle time, see defaultSettle.
func defaultScenario() *Scenario {
	return &Scenario{
		Transport:    Stdio,
		SpecVersions: defaultSpecVersions(Stdio),
		Client:       "go-sdk",
		Server:       "go-sdk",
		Load:         Load{Arrivals: Closed, Callers: 1, Calls: 1, Think: Fixed(0)},
		Cancel:       CancelPlan{When: Uniform},
		Scheduler:    Shuffled,
		Limits:       Limits{Horizon: 10 * time.Minute},
	}
}

// defaultSettle is how long a world is left alone when the file does not say:
// long enough for every tool to end by itself, and then some.
func (sc *Scenario) defaultSettle() time.Duration {
	d := 5 * time.Second
	for _, h := range sc.Handlers {
		d = max(d, h.longest())
	}
	return d
}

// longest is how long a tool can be at work, told or not.
func (h Handler) longest() time.Duration {
	return longest(h.Work) + longest(h.Cleanup) + longest(h.Asks.Work)
}

// Hash returns the SHA-256 of the scenario as [Scenario.Marshal] writes it, in
// hex. Two files that mean the same have the same hash.
func (sc *Scenario) Hash() string {
	sum := sha256.Sum256(sc.Marshal())
	return hex.EncodeToString(sum[:])
}

// AppliesTo reports whether the requirement has to be met at a protocol version.
func (r Requirement) AppliesTo(specVersion string) bool {
	return len(r.SpecVersions) == 0 || slices.Contains(r.SpecVersions, specVersion)
}

// Met reports whether one of the requirement's rules was exercised.
func (r Requirement) Met(exercised func(rule string) bool) bool {
	return slices.ContainsFunc(r.AnyOf, exercised)
}
