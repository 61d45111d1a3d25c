package analysis

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// A flavour is how the server of synthetic worlds behaves.
type flavour int

const (
	silent   flavour = iota // keeps every rule
	answers                 // answers cancelled calls, as an error or as a result
	unasked                 // nobody cancels anything
	leaking                 // leaves a goroutine behind in every third world
	crashing                // dies in every fiftieth world
)

// synth makes one judged world of two calls, with the shapes that a judge
// produces. It depends on its arguments only.
func synth(arm Arm, specVersion string, seed uint64, f flavour) World {
	r := rand.New(rand.NewPCG(seed, uint64(len(specVersion))))
	w := World{
		Arm: arm, SpecVersion: specVersion, Seed: seed, Digest: fmt.Sprintf("%016x", r.Uint64()),
		Events: 60 + r.IntN(10), Simulated: 3 * time.Second,
		Goroutines: []Sample{{0, 0}, {10 * time.Millisecond, 6}, {time.Second, 2}, {2200 * time.Millisecond, 0}},
		LastCancel: 800 * time.Millisecond, Quiet: 2 * time.Second, Closed: 2100 * time.Millisecond,
	}
	for i := range 2 {
		w.Judgement.Calls = append(w.Judgement.Calls, synthCall(r, i+1, f))
	}
	if f == unasked {
		w.LastCancel = -1
	}
	if f == leaking && seed%3 == 0 {
		w.Leaked = 1
	}
	if f == crashing && seed%50 == 7 {
		w.Judgement.Calls[0].Incident = oracle.Crashed
	}
	w.Judgement.Verdicts = synthVerdicts(w, f)
	return w
}

func synthCall(r *rand.Rand, number int, f flavour) oracle.CallResult {
	kinds := []string{"cooperative", "checkpoint", "stubborn"}
	c := oracle.CallResult{
		Call: number, Handler: kinds[r.IntN(len(kinds))], Life: 100 * time.Millisecond,
		Offset: time.Duration(r.IntN(110)) * time.Millisecond,
		Work:   oracle.Ended, Wire: oracle.Crossed, ReadToTold: -1, ToldToEnd: -1, ReadToEnd: -1, Lateness: -1,
		SentToRead: -1, CancelToRet: -1,
	}
	if f == unasked {
		return c
	}
	c.Cancelled, c.CancelToRet = true, 0
	if c.Offset > 104*time.Millisecond {
		return c
	}
	c.Sent = true
	c.SentToRead = 5*time.Millisecond + time.Duration(r.ExpFloat64()*20e6)
	if c.Offset+c.SentToRead > c.Life {
		c.Phase = oracle.AfterResponse
		return c
	}
	return running(c, r, f)
}

func running(c oracle.CallResult, r *rand.Rand, f flavour) oracle.CallResult {
	c.Phase, c.Work, c.Wire, c.ReadToTold = oracle.Running, oracle.Stopped, oracle.Silent, 0
	switch c.Handler {
	case "cooperative":
		c.ToldToEnd = 0
	case "checkpoint":
		c.ToldToEnd = time.Duration(1+r.IntN(25)) * time.Millisecond
	case "stubborn":
		c.Work, c.ToldToEnd = oracle.ToldRanOn, c.Life-c.Offset
	}
	c.ReadToEnd = c.ToldToEnd
	if f == answers {
		c.Wire, c.Late, c.Lateness = oracle.Answered, true, c.ToldToEnd
		c.ErrorReply = c.Handler != "stubborn"
	}
	return c
}

// synthVerdicts judges a synthetic world by six rules.
func synthVerdicts(w World, f flavour) []oracle.Verdict {
	late := oracle.Verdict{Rule: "CANCEL-NO-RESPONSE", Level: oracle.Should, Side: history.Server}
	over := 0
	for _, c := range w.Judgement.Calls {
		switch {
		case c.Phase == oracle.Running:
			late.Checked++
			late.Exercised = append(late.Exercised, oracle.Exercise{Handler: c.Handler, Phase: c.Phase, N: 1, Failed: btoi(c.Late)})
		case c.Sent:
			over++
		}
		if c.Late {
			late.Failed++
			late.Violations = append(late.Violations, violation(c))
		}
	}
	if over > 0 {
		late.Uncounted = []oracle.Uncounted{{Why: "response already written when the cancel was read", N: over}}
	}
	silence := late
	silence.Rule, silence.Level = "CANCEL-SILENCE", oracle.MustNot
	if w.SpecVersion < modern {
		silence = oracle.Verdict{Rule: "CANCEL-SILENCE", Side: history.Server} // does not bind: no level
	} else if late.Failed > 0 {
		late.Implied = "CANCEL-SILENCE"
	}
	verdicts := []oracle.Verdict{
		late, silence,
		{Rule: "CANCEL-STOP-WORK", Level: oracle.Should, Side: history.Server, Checked: late.Checked},
		{Rule: "CANCEL-INVALID-IGNORED", Level: oracle.Should, Side: history.Server},
		{Rule: "RACE-GRACEFUL", Level: oracle.Must, Side: history.World, Checked: late.Checked + over},
		leakVerdict(w),
	}
	for i := range verdicts {
		verdicts[i].Status = status(verdicts[i])
	}
	if f == crashing && w.Judgement.Calls[0].Incident != "" {
		verdicts[4].Status, verdicts[4].Checked = oracle.Unknown, 1
	}
	return verdicts
}

func leakVerdict(w World) oracle.Verdict {
	v := oracle.Verdict{Rule: "NO-LEAK", Level: oracle.Quality, Side: history.World, Checked: 1, Failed: w.Leaked}
	if w.Leaked > 0 {
		v.Violations = []oracle.Violation{{Events: []int{58}, What: "left a goroutine, created by example.com/sdk.watch"}}
	}
	return v
}

func violation(c oracle.CallResult) oracle.Violation {
	what := `answered with error 0 "context canceled"`
	if !c.ErrorReply {
		what = "answered with a result"
	}
	return oracle.Violation{
		Call: c.Call, Events: []int{20 + c.Call, 31}, What: what, Handler: c.Handler, Phase: c.Phase, Lateness: c.Lateness,
		Cause: oracle.AnsweredCause,
	}
}

func status(v oracle.Verdict) oracle.Status {
	switch {
	case v.Failed > 0:
		return oracle.Fail
	case v.Checked == 0:
		return oracle.Vacuous
	}
	return oracle.Pass
}

var testPair = Pair{Client: "go-sdk v1.8.0", Server: "go-sdk v1.8.0"}

// synthSummary adds n worlds a version of the target, and as many of the
// reference.
func synthSummary(f flavour, n uint64, versions ...string) Summary {
	a := NewAggregate(testPair)
	for _, v := range versions {
		for seed := range n {
			mustAdd(a, synth(ArmTarget, v, seed, f))
			if f != unasked {
				mustAdd(a, synth(ArmReference, v, seed, silent))
			}
		}
	}
	return a.Summary()
}

func mustAdd(a *Aggregate, w World) {
	if err := a.Add(w); err != nil {
		panic(err)
	}
}
