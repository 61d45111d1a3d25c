// Package oracle judges one history against the rules of the specification.
//
// An oracle is a pure function from a history to a verdict on one rule. It
// knows the specification and what was observed; it knows no schedule, no
// target and no clock but the one in the history. The package draws nothing
// and writes nothing, so that the simulator's workers can carry it.
//
// Over HTTP messages travel by exchanges, which have their own part in a history; see
// exchange.go for what order proves there, closing.go for what it means that one is broken
// off, and crowd.go for many clients on one server.
//
// Read in this order: [Rule] and [Rules] say what is judged, and [Catalogue] what
// else is laid out; [Notes], [Races] and [Budgets] are the tables that rules refer
// to; [Judge] judges a history, [Stream] one that is still being written, and [Verdict]
// and [CallResult] are what comes out.
package oracle

import (
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A Level is how strongly the specification binds, by RFC 2119. Quality marks
// what no clause demands but every user counts on.
type Level string

// The levels, strongest first. MustNot and Must weigh the same.
const (
	MustNot   Level = "MUST NOT"
	Must      Level = "MUST"
	ShouldNot Level = "SHOULD NOT"
	Should    Level = "SHOULD"
	May       Level = "MAY" // of clauses that allow; no rule has it
	Quality   Level = "QUALITY"
	Info      Level = "INFO" // is told and never held against anybody: where a rule has it, it never fails
)

// A Status is the outcome of one rule on one history.
type Status string

// Vacuous means that the rule was never exercised: nothing happened that it
// speaks of. It is not a pass. Ambiguous exists in wall time only. Unknown
// means that the history does not suffice, a crash of unknown origin say.
const (
	Pass      Status = "pass"
	Fail      Status = "fail"
	Ambiguous Status = "ambiguous"
	Vacuous   Status = "vacuous"
	Unknown   Status = "unknown"
)

// A Violation is one breach of a rule, with the events that prove it.
type Violation struct {
	Call     int           `json:"call,omitempty"`    // 0: no call of its own
	Side     history.Side  `json:"side"`              // who broke the rule; World when that cannot be told
	Events   []int         `json:"events"`            // Seq of the events that convict, in order; never empty
	What     string        `json:"what"`              // one clause in plain words: `answered with error 0 "context canceled"`
	Handler  string        `json:"handler,omitempty"` // kind of the tool, or the method where no code of the application's answers it
	Method   string        `json:"method,omitempty"`  // of the request; empty: tools/call
	Phase    Phase         `json:"phase,omitempty"`
	Lateness time.Duration `json:"lateness_ns"` // from the cancel's being read to the offence; 0 is "the same instant", proven by order; negative: does not apply

	Cause string `json:"cause,omitempty"` // what tells it apart from the rule's other violations, where What is too fine or too coarse for that; see Signature
}

// A Verdict is what one rule says of one history.
type Verdict struct {
	Rule       string       `json:"rule"`
	Status     Status       `json:"status"`
	Level      Level        `json:"level,omitempty"`     // at this protocol version; empty: the version has no such rule, and Status is Vacuous
	Side       history.Side `json:"side"`                // who is bound; World when both are. Of a failed verdict: who broke it, if it was one side alone
	Checked    int          `json:"checked"`             // how often the rule was exercised
	Failed     int          `json:"failed"`              // of those, how often it was broken
	Nested     int          `json:"nested,omitempty"`    // of Checked, those of what tools asked of the client, where Side is the other one
	Implied    string       `json:"implied,omitempty"`   // the same acts are reported under this stricter rule
	Violations []Violation  `json:"violations"`          // at most MaxViolations of them
	Uncounted  []Uncounted  `json:"uncounted,omitempty"` // what looks like a breach and is none
	// Took is how long what a budget bounds really took, where the rule was kept and
	// the history shows it: at most a few times a world.
	Took      []time.Duration `json:"took_ns,omitempty"`
	Exercised []Exercise      `json:"exercised,omitempty"` // Checked by what was at work; only of rules that check call by call
}

// An Exercise is a number of checks of one rule on calls alike.
type Exercise struct {
	Handler string `json:"handler"`         // kind of the tool
	Phase   Phase  `json:"phase,omitempty"` // of the cancel, where the rule looks at it
	N       int    `json:"n"`
	Failed  int    `json:"failed,omitempty"` // of N, listed as violations or not
}

// MaxViolations bounds how many violations of one rule a verdict lists. Failed
// counts them all.
const MaxViolations = 16

// An Uncounted is a number of occurrences that were deliberately not counted
// as violations, with the reason: a benign race, or the application's doing.
type Uncounted struct {
	Why string `json:"why"` // "response already written when the cancel was read"
	N   int    `json:"n"`
}

// A Phase is where the cancel's being read fell in its call's life.
type Phase string

// The phases, in the order of a call's life.
const (
	NeverIssued   Phase = "never-issued"   // the request was never written
	BeforeRequest Phase = "before-request" // the cancel was read before its request
	Queued        Phase = "queued"         // read, no handler yet
	Running       Phase = "running"        // handler at work
	Returned      Phase = "returned"       // handler ended, response not begun
	Crossing      Phase = "crossing"       // response begun, not read by the client when it wrote the cancel
	AfterResponse Phase = "after-response" // the client had read the response when it wrote the cancel
	Undelivered   Phase = "undelivered"    // the cancel was written, and never read
)

// Work says what became of the work of a cancelled call.
type Work string

// Ended: it was over before the cancel reached the receiver, or in the same
// instant, or the cancel never reached it: the benign case.
const (
	Ended     Work = "ended"
	Stopped   Work = "stopped"     // told, and returned because of it
	ToldRanOn Work = "told-ran-on" // told, and went on: the application's
	NeverTold Work = "never-told"  // the SDK's: orphaned work
	NotRead   Work = "unread"      // the cancel had arrived before the work ended, and was not read until after
)

// Wire says what the receiver sent for a cancelled call.
type Wire string

// Silent and Crossed keep every rule: a response that crossed was written before
// the cancel was read, or its handler had ended by then. Answered is a late
// response.
const (
	Silent        Wire = "silent"
	Crossed       Wire = "crossed"
	Answered      Wire = "answered"
	AnsweredTwice Wire = "answered-twice"
)

// An Incident is what went wrong beyond one call's own two axes.
type Incident string

// The incidents.
const (
	Hung          Incident = "hung"           // the caller never got control back
	SessionKilled Incident = "session-killed" // the session did not survive the race
	WrongCall     Incident = "wrong-call"     // another call was hit
	Crashed       Incident = "crashed"
	ToolCrashed   Incident = "crashed-by-tool"  // the scenario's own tool took the process with it
	Panicked      Incident = "panicked"         // over HTTP: the server's handler panicked in it, and took no process with it
	ToolPanicked  Incident = "panicked-by-tool" // likewise, in the scenario's own tool
	HungByNetwork Incident = "hung-by-network"  // the caller never got control back, and what the network had done to its exchanges brought that about
	CallerOverran Incident = "caller-overran"   // the caller got control back only after its cancel had had to wait
)

// A CallResult is the outcome of one call, cancelled or not. Durations that do
// not apply are negative.
type CallResult struct {
	Call        int           `json:"call"`
	Handler     string        `json:"handler"`         // see Violation
	Cancelled   bool          `json:"cancelled"`       // the application ended the call's context while the call was pending
	Sent        bool          `json:"sent"`            // and a cancel for it was written
	Phase       Phase         `json:"phase,omitempty"` // of sent cancels; and NeverIssued, of which none can be sent
	Work        Work          `json:"work,omitempty"`  // of sent cancels
	Wire        Wire          `json:"wire,omitempty"`  // of sent cancels
	Late        bool          `json:"late,omitempty"`  // a late response as the verdicts count it
	ErrorReply  bool          `json:"error,omitempty"` // the late response is an error
	Incident    Incident      `json:"incident,omitempty"`
	Offset      time.Duration `json:"offset_ns"`       // from the call's being issued to its being cancelled
	Life        time.Duration `json:"life_ns"`         // how long the call was expected to take undisturbed, network included; the schedule's figure
	SentToRead  time.Duration `json:"sent_to_read_ns"` // the injected network's
	ReadToTold  time.Duration `json:"read_to_told_ns"` // the SDK's: CPU is not counted in virtual time
	ToldToEnd   time.Duration `json:"told_to_end_ns"`  // the tool's own
	ReadToEnd   time.Duration `json:"read_to_end_ns"`  // how long the handler still ran after the cancel was read, at least, if its end was not seen; -1 if it was not running
	Lateness    time.Duration `json:"lateness_ns"`     // of a late response
	CancelToRet time.Duration `json:"cancel_to_return_ns"`
}

// A Judgement is everything that is concluded from one history.
type Judgement struct {
	Verdicts []Verdict    `json:"verdicts"` // one a rule that is judged over the history's transport, in the order of Rules
	Calls    []CallResult `json:"calls"`    // one a call of the header, in its order
}
