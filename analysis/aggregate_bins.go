package analysis

import "github.com/mcpsim/mcpsim/analysis/oracle"

// resultOf puts what became of a cancelled call into one word. An incident
// outweighs the rest; a cancel that was read while the call was queued or
// running is judged by what was sent afterwards; everything that had ended
// before the cancel was read, or crossed it in the same instant, is benign.
func resultOf(c oracle.CallResult) Result {
	switch {
	case c.Incident != "":
		return ResultOther
	case !c.Sent:
		return ResultBeforeSent
	case c.Late:
		return ResultLate
	}
	switch c.Phase {
	case oracle.Returned, oracle.Crossing, oracle.AfterResponse:
		return ResultEnded
	case oracle.BeforeRequest:
		return ResultOvertook
	case oracle.Queued, oracle.Running:
		switch {
		case answered(c.Wire):
			return ResultLate
		case c.Wire == oracle.Crossed:
			return ResultEnded
		}
		return ResultSilent
	}
	return ResultOther
}

func answered(w oracle.Wire) bool { return w == oracle.Answered || w == oracle.AnsweredTwice }

// offsetBin returns the bin of a call by how far into its undisturbed life it
// was cancelled; not ok where the schedule gave it no life.
func offsetBin(c oracle.CallResult) (bin int, ok bool) {
	if c.Life <= 0 || c.Offset < 0 {
		return 0, false
	}
	const perLife = 20
	share := float64(c.Offset) / float64(c.Life)
	return int(min(share*perLife, OffsetBins-1)), true
}

// addGoroutines counts, once for each bin of each stage that the world went
// through, how many goroutines there were at the bin's end.
func (g *Group) addGoroutines(w World) {
	begin, next, current := 0.0, 0, 0
	for stage, until := range w.stageEnds() {
		g.StageEnds[stage].Add(int64(until))
		end := float64(until)
		if end <= begin {
			continue
		}
		for bin := range g.Goroutines[stage] {
			at := begin + (end-begin)*float64(bin+1)/StageBins
			for next < len(w.Goroutines) && float64(w.Goroutines[next].At) <= at {
				current = w.Goroutines[next].N
				next++
			}
			g.Goroutines[stage][bin].Add(int64(max(current, 0)))
		}
		begin = end
	}
}
