package analysis

import (
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// SummarySchema is the version of the JSON form of [Summary].
const SummarySchema = 1

// A Summary is what a run comes to: counts and distributions, bounded in size
// whatever the number of worlds. Reports and plots are made from it alone.
// Worlds may be added in any order; the summary is the same.
type Summary struct {
	Schema   int       `json:"schema"`
	Pair     Pair      `json:"pair"`     // what was under test
	Groups   []Group   `json:"groups"`   // an arm at a protocol version, in order of arm and version
	Findings []Finding `json:"findings"` // of the target's arm, worst first; Findings[0] is F1

	Judged   []string          `json:"judged,omitempty"`   // the rules that count, when not all do
	Expected []ExpectedFailure `json:"expected,omitempty"` // what became of every expected failure, in the order of their file
}

// A Group is the worlds of one arm at one protocol version.
type Group struct {
	Arm         Arm                     `json:"arm"`
	SpecVersion string                  `json:"spec_version"`
	Worlds      int                     `json:"worlds"`
	Calls       int                     `json:"calls"`
	Cancelled   int                     `json:"cancelled"` // the application cancelled, while pending
	Sent        int                     `json:"sent"`      // and the cancel was written
	Events      int                     `json:"events"`
	Simulated   time.Duration           `json:"simulated_ns"`
	Rules       []RuleTally             `json:"rules"`    // one a rule, in the order of oracle.Rules
	Outcomes    []Outcome               `json:"outcomes"` // sent cancels, counted by what became of them; sorted
	Incidents   map[oracle.Incident]int `json:"incidents"`
	LeakyWorlds int                     `json:"leaky_worlds"`          // worlds with goroutines left after close
	Leaked      int                     `json:"leaked"`                // goroutines left, all worlds together
	Remains     *Remains                `json:"remains,omitempty"`     // over HTTP: what servers had left, all worlds together; nil: nobody counted
	Faults      []FaultCount            `json:"faults,omitempty"`      // HTTP faults, all worlds together, by kind; nil: none were drawn
	Bodies      *Bodies                 `json:"bodies,omitempty"`      // over HTTP: in which form calls were answered, all worlds together; nil: none was
	Races       []RaceSeen              `json:"races,omitempty"`       // benign races, by number; nil: none was seen
	Unavailable map[string]int          `json:"unavailable,omitempty"` // see World; all worlds together
	Unconnected *Refusal                `json:"unconnected,omitempty"` // worlds in which no session came about; nil: none

	// Distributions, in nanoseconds.
	SentToRead     Distribution                    `json:"sent_to_read"`     // the injected network's
	ReadToTold     Distribution                    `json:"read_to_told"`     // the SDK's
	ToldToEnd      Distribution                    `json:"told_to_end"`      // the tools' own
	CancelToReturn Distribution                    `json:"cancel_to_return"` // how long the caller was held
	ReadToEnd      map[oracle.Work]Distribution    `json:"read_to_end"`      // cancels read while the call was queued or running, by what became of the work
	Lateness       map[string]Distribution         `json:"lateness"`         // late responses, by kind of handler
	OffsetBins     [OffsetBins]map[Result]int      `json:"offset_bins"`      // what became of a cancelled call, by cancel offset as a share of the call's undisturbed life; the last bin holds all beyond
	Goroutines     [Stages][StageBins]Distribution `json:"goroutines"`       // above the baseline, along the stages of a world
	StageEnds      [Stages]Distribution            `json:"stage_ends"`       // when each stage ended, since the start of the world
}

// A Refusal is a number of worlds in which no session came about, with what the
// smallest seed of them says.
type Refusal struct {
	Worlds int    `json:"worlds"`
	Seed   uint64 `json:"seed"`
	Why    string `json:"why"`
}

// OffsetBins is the number of bins of Group.OffsetBins. Each is a twentieth of
// the call's undisturbed life wide.
const OffsetBins = 25

// The stages of a world, for the plot of goroutines over time: until the last
// cancel, until the world is quiet, until it is closed, and after.
const (
	Stages    = 4
	StageBins = 20
)

// A Result is what became of a cancelled call, in one word for the plot of
// results against the cancel's offset.
type Result string

// The results, in the order in which they are stacked.
const (
	ResultBeforeSent Result = "ended before the cancel was sent"
	ResultEnded      Result = "ended before the cancel was read" // benign
	ResultOvertook   Result = "cancel read before its request"   // benign, R4; HTTP alone can bring it about
	ResultSilent     Result = "silent"
	ResultLate       Result = "answered late"
	ResultOther      Result = "other" // incident, or no verdict possible
)

// A RuleTally adds up one rule's verdicts over the worlds of a group.
type RuleTally struct {
	Rule      string                `json:"rule"`
	Level     oracle.Level          `json:"level"`
	Side      history.Side          `json:"side"`
	Worlds    map[oracle.Status]int `json:"worlds"` // how many worlds had each status
	Checked   int                   `json:"checked"`
	Failed    int                   `json:"failed"`
	Nested    int                   `json:"nested,omitempty"` // of Checked, see [oracle.Verdict]
	Implied   int                   `json:"implied"`          // of Failed, those reported under a stricter rule
	Uncounted []oracle.Uncounted    `json:"uncounted"`
	Exercised []oracle.Exercise     `json:"exercised,omitempty"` // Checked by tool and phase, of rules that check call by call; sorted
	Took      *Distribution         `json:"took,omitempty"`      // how long what a budget bounds really took, in nanoseconds; nil: nothing shows it
}

// weighs reports whether the rule is held against anybody at its version. One that it does not
// have is not, and nor is one that is only told of.
func (r RuleTally) weighs() bool { return r.Level != "" && r.Level != oracle.Info }

// An Outcome is a number of cancelled calls with the same fate.
type Outcome struct {
	Handler string       `json:"handler"`
	Phase   oracle.Phase `json:"phase"`
	Work    oracle.Work  `json:"work"`
	Wire    oracle.Wire  `json:"wire"`
	Late    bool         `json:"late"`
	N       int          `json:"n"`
}

// A Finding is failing verdicts of one kind, with the smallest seed that shows
// it. Two violations are of one kind when rule, side, protocol version and cause
// (see [oracle.Violation.Signature]) are the same: two crashes in different places
// are two findings; a late answer that is now an error, now a result, is one. How
// they spread over tools, phases and words is counted instead.
type Finding struct {
	ID          string             `json:"id"` // "F1"
	Rule        string             `json:"rule"`
	Level       oracle.Level       `json:"level"`
	Side        history.Side       `json:"side"`
	Target      string             `json:"target"` // of the side that is bound, "go-sdk v1.8.0"
	Cause       string             `json:"cause"`  // OtherCauses unites those beyond a bound
	SpecVersion string             `json:"spec_version"`
	Checked     int                `json:"checked"` // of the rule, whatever the cause
	Failed      int                `json:"failed"`
	Worlds      int                `json:"worlds"`  // worlds with at least one; of OtherCauses, added up over them
	Seeds       []uint64           `json:"seeds"`   // the smallest, ascending, at most KeptSeeds
	Example     oracle.Violation   `json:"example"` // from ExampleSeed: one with a margin above zero when there is one
	ExampleSeed uint64             `json:"example_seed"`
	What        map[string]int     `json:"what"`              // violations by their words
	Handlers    map[string]int     `json:"handlers"`          // violations by kind of handler
	Methods     map[string]int     `json:"methods,omitempty"` // violations by kind of request; empty: all are of tools/call
	Phases      map[string]int     `json:"phases"`            // violations by where the cancel fell in the call's life
	Lateness    Distribution       `json:"lateness"`
	Uncounted   []oracle.Uncounted `json:"uncounted"`
	Opposite    *Opposite          `json:"opposite,omitempty"`    // the same side opposite the reference, where that was run
	SameActAs   string             `json:"same_act_as,omitempty"` // ID of the finding that is the same behaviour at another protocol version
	Expected    *Expectation       `json:"expected,omitempty"`    // the entry that foresaw it; nil: nobody did

	WorldsExercised int `json:"worlds_exercised"` // worlds in which it could have come up
}

// KeptSeeds is how many seeds of a finding have their histories kept.
const KeptSeeds = 20
