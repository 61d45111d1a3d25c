// Package analysis adds up what many worlds were judged to be, keeps it in a
// result directory, and renders it. It never runs anything.
//
// Read in this order: [World] is one judged world as a worker sends it,
// [Summary] is what a run comes to.
package analysis

import (
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// An Arm says which pair of a run a world belongs to. Besides the pair under
// test, a run repeats the same seeds with the reference, to show what a strict
// implementation does with them, and with two mutants, to show that the plots
// would show a fault if there were one.
type Arm string

// The arms of a run.
const (
	ArmTarget    Arm = "target"
	ArmReference Arm = "reference"     // reference client and server
	ArmDeaf      Arm = "control-deaf"  // reference client, mutant:ignores-cancel
	ArmLeaky     Arm = "control-leaky" // reference client, mutant:leaks-on-cancel
)

// A Sample is the number of goroutines above the baseline at an instant.
type Sample struct {
	At time.Duration `json:"at_ns"` // since the start of the world
	N  int           `json:"n"`
}

// A World is one judged world. It is what a worker sends to its parent.
type World struct {
	Arm         Arm              `json:"arm"`
	SpecVersion string           `json:"spec_version"`
	Seed        uint64           `json:"seed"`
	Digest      string           `json:"digest"` // of the events, 16 hex digits
	Events      int              `json:"events"`
	Simulated   time.Duration    `json:"simulated_ns"` // from the start of the world to the end of its close
	Judgement   oracle.Judgement `json:"judgement"`
	Goroutines  []Sample         `json:"goroutines"`     // in order of time
	LastCancel  time.Duration    `json:"last_cancel_ns"` // -1: none was sent
	Quiet       time.Duration    `json:"quiet_ns"`       // -1: never
	Closed      time.Duration    `json:"closed_ns"`      // -1: never
	Leaked      int              `json:"leaked"`         // goroutines that remained after close and drain
	// Remains is what a server over HTTP had left when all its clients had closed; nil
	// where nobody counted.
	Remains *Remains `json:"remains,omitempty"`
	// Faults are the HTTP faults that were drawn, by kind, sorted; nil: none were.
	Faults []FaultCount `json:"faults,omitempty"`
	// Bodies are in which form a server over HTTP answered calls; nil: none was.
	Bodies *Bodies `json:"bodies,omitempty"`
	// Unavailable says what was asked for and could not be done, with the number of
	// calls that it concerns; 0 where it is not about single calls.
	Unavailable map[string]int `json:"unavailable,omitempty"`
	// Refusal is why no session came about; empty: one did, or the world did not
	// come as far.
	Refusal string `json:"refusal,omitempty"`
}
