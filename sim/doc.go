// Package sim turns a scenario and a seed into one simulated world, and what
// happens in it into a history.
//
//	scenario.yaml ─Parse→ Scenario ─Expand(seed)→ Schedule ─Run(targets)→ history.History
//
// Every arrow is one function and every noun is plain data. All chance is in
// Expand and in the network's delays, both drawn from the seed by labels, so that
// the same seed asks the same of every target at every protocol version. What a
// target does wrong is in the history; an error means that the experiment failed.
//
// It does not judge what it sees (package analysis/oracle does), does not start
// processes or choose seeds (cmd/mcpsim does), and holds no clock: it runs on
// package time, which a worker makes virtual, see packages sim/engine and
// sim/clock.
//
// Read in this order: [Scenario] is what a run intends, [Parse] and [Fault] how it
// is read from a file; [Expand] and [Schedule] are what one seed makes of it,
// [Stream] and [DelayHash] where the chance comes from; [Seeds] is how seeds are
// typed. [Methods] are what can be called; [Target], [Client] and [Server] are what
// an implementation under test looks like from here, and [Run] puts a schedule and
// two targets into a world.
package sim
