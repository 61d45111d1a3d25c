package plots

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A behaviour is how an imagined implementation treats cancels. Summaries made
// from it hang together as those of real runs do: every field of a group is
// filled from the same calls.
type behaviour struct {
	answers bool          // answers calls that it was told to cancel
	deaf    float64       // share of cancels that reach no handler
	unread  float64       // share of cancels that lie unread until the call has ended
	slow    time.Duration // at most so long between reading and telling
	leaks   float64       // goroutines a cancel
}

var (
	strict   = behaviour{}
	goLike   = behaviour{answers: true}
	deafOne  = behaviour{answers: true, deaf: 1}
	leakyOne = behaviour{leaks: 1}
	broken   = behaviour{answers: true, deaf: 0.13, unread: 0.04, slow: 3 * time.Millisecond, leaks: 0.4}
)

// tools are the kinds of handlers with how long they take to stop once told.
var tools = []struct {
	kind string
	stop func(r *rand.Rand, left time.Duration) time.Duration
}{
	{"cooperative", func(*rand.Rand, time.Duration) time.Duration { return 0 }},
	{"cooperative", func(*rand.Rand, time.Duration) time.Duration { return 0 }},
	{"checkpoint", func(r *rand.Rand, left time.Duration) time.Duration { return min(left, upTo(r, 25*time.Millisecond)) }},
	{"slow-cleanup", func(r *rand.Rand, _ time.Duration) time.Duration {
		return 20*time.Millisecond + upTo(r, 180*time.Millisecond)
	}},
	{"chatty", func(r *rand.Rand, left time.Duration) time.Duration { return min(left, upTo(r, 10*time.Millisecond)) }},
	{"stubborn", func(_ *rand.Rand, left time.Duration) time.Duration { return left }},
}

func upTo(r *rand.Rand, d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }

func expo(r *rand.Rand, base, mean time.Duration) time.Duration {
	return base + time.Duration(r.ExpFloat64()*float64(mean))
}

// group imagines worlds of four calls, three of them cancelled.
func group(arm analysis.Arm, version string, worlds int, b behaviour) analysis.Group {
	r := rand.New(rand.NewPCG(7, uint64(worlds)))
	g := analysis.Group{
		Arm: arm, SpecVersion: version, Worlds: worlds, Calls: 4 * worlds,
		ReadToEnd: map[oracle.Work]analysis.Distribution{}, Lateness: map[string]analysis.Distribution{},
	}
	for i := range g.OffsetBins {
		g.OffsetBins[i] = map[analysis.Result]int{}
	}
	outcomes := map[analysis.Outcome]int{}
	for range worlds {
		sent := 0
		for range 3 {
			if imagineCall(r, &g, outcomes, b) {
				sent++
			}
		}
		imagineGoroutines(r, &g, sent, b)
	}
	for o, n := range outcomes {
		o.N = n
		g.Outcomes = append(g.Outcomes, o)
	}
	slices.SortFunc(g.Outcomes, func(a, b analysis.Outcome) int { return b.N - a.N })
	return g
}

// imagineCall adds a cancelled call and says whether its cancel was sent.
func imagineCall(r *rand.Rand, g *analysis.Group, outcomes map[analysis.Outcome]int, b behaviour) bool {
	tool := tools[r.IntN(len(tools))]
	life := expo(r, 20*time.Millisecond, 300*time.Millisecond)
	there, back, delay := expo(r, 5*time.Millisecond, 20*time.Millisecond), expo(r, 5*time.Millisecond, 20*time.Millisecond), expo(r, 5*time.Millisecond, 20*time.Millisecond)
	offset := time.Duration(r.Float64() * 1.3 * float64(life))
	bin := min(int(20*float64(offset)/float64(life)), analysis.OffsetBins-1)
	g.Cancelled++
	g.CancelToReturn.Add(0)
	if offset > there+life+back {
		g.OffsetBins[bin][analysis.ResultBeforeSent]++
		return false
	}
	g.Sent++
	g.SentToRead.Add(int64(delay))
	left := there + life - offset - delay
	out := analysis.Outcome{Handler: tool.kind, Phase: oracle.Running, Wire: oracle.Silent}
	switch {
	case left <= 0:
		out.Phase, out.Work, out.Wire = oracle.Crossing, oracle.Ended, oracle.Crossed
		g.OffsetBins[bin][analysis.ResultEnded]++
	case r.Float64() < b.unread:
		out.Phase, out.Work, out.Wire = oracle.Returned, oracle.NotRead, oracle.Crossed
		g.OffsetBins[bin][analysis.ResultOther]++
	default:
		out.Work, out.Late = imagineWork(r, g, tool.kind, left, b, tool.stop(r, left))
		result := analysis.ResultSilent
		if out.Late {
			out.Wire, result = oracle.Answered, analysis.ResultLate
		}
		g.OffsetBins[bin][result]++
	}
	outcomes[out]++
	return true
}

// imagineWork adds what a handler did that ran when its cancel was read.
func imagineWork(r *rand.Rand, g *analysis.Group, kind string, left time.Duration, b behaviour, stop time.Duration) (oracle.Work, bool) {
	work, ran := oracle.Stopped, stop
	if r.Float64() < b.deaf {
		work, ran = oracle.NeverTold, left
	} else {
		told := time.Duration(0)
		if b.slow > 0 {
			told = upTo(r, b.slow)
		}
		g.ReadToTold.Add(int64(told))
		g.ToldToEnd.Add(int64(stop))
		ran += told
		if kind == "stubborn" {
			work = oracle.ToldRanOn
		}
	}
	d := g.ReadToEnd[work]
	d.Add(int64(ran))
	g.ReadToEnd[work] = d
	late := b.answers
	if late {
		d := g.Lateness[kind]
		d.Add(int64(ran))
		g.Lateness[kind] = d
	}
	return work, late
}

// imagineGoroutines adds a world's goroutines.
func imagineGoroutines(r *rand.Rand, g *analysis.Group, sent int, b behaviour) {
	left := 0
	for range sent {
		if r.Float64() < b.leaks {
			left++
		}
	}
	g.Leaked += left
	if left > 0 {
		g.LeakyWorlds++
	}
	end := time.Duration(0)
	for stage := range analysis.Stages {
		end += []time.Duration{300, 250, 5, 1000}[stage]*time.Millisecond + upTo(r, 50*time.Millisecond)
		g.StageEnds[stage].Add(int64(end))
		for bin := range analysis.StageBins {
			n := left
			switch stage {
			case 0:
				n = 6 + min(bin/4, 4) + r.IntN(3) + left*bin/analysis.StageBins
			case 1:
				n = 6 + max(0, 4-bin/3) + left
			case 2:
				n = 6 + left
			}
			g.Goroutines[stage][bin].Add(int64(n))
		}
	}
}

// run imagines a run at two protocol versions with all four arms.
func run(worlds int, target behaviour) *analysis.Summary {
	s := &analysis.Summary{Schema: analysis.SummarySchema}
	for _, arm := range []struct {
		arm analysis.Arm
		b   behaviour
		n   int
	}{
		{analysis.ArmTarget, target, worlds}, {analysis.ArmReference, strict, worlds},
		{analysis.ArmDeaf, deafOne, max(worlds/5, 1)}, {analysis.ArmLeaky, leakyOne, max(worlds/5, 1)},
	} {
		for i, version := range []string{"2025-11-25", "2026-07-28"} {
			s.Groups = append(s.Groups, group(arm.arm, version, arm.n+i, arm.b))
		}
	}
	return s
}

var info = Info{
	Scenario: "cancel-storm", Client: "go-sdk v1.8.0", Server: "go-sdk v1.8.0", Transport: "stdio",
	Clock: "virtual time", Network: "wan (5 ms + exp 20 ms each way)", Seeds: "0-999",
	Command: "mcpsim run cancel-storm --seeds 0-999",
}
