package analysis

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Bodies are in which form a server over HTTP answered what calls of the application had
// posted.
type Bodies struct {
	JSON   int `json:"json"`   // with one JSON object
	Stream int `json:"stream"` // with an SSE stream
}

// A bodyLog finds them out. What it holds is bounded by the exchanges that are open.
type bodyLog struct {
	seen    Bodies
	posting map[int]bool // exchanges that carry a call's request, unanswered
}

// see takes the next event.
func (l *bodyLog) see(e *history.Event) {
	switch {
	case e.Exchange == 0:
	case e.Kind == history.Write && e.Side == history.Client && e.Call > 0 && e.Msg != nil && e.Msg.Kind == history.Request:
		if l.posting == nil {
			l.posting = map[int]bool{}
		}
		l.posting[e.Exchange] = true
	case e.Side != history.Server || !l.posting[e.Exchange]:
	case e.Kind == history.Status && e.HTTP != nil:
		delete(l.posting, e.Exchange)
		switch {
		case e.HTTP.Status != 200: // what is refused has a body of its own kind
		case strings.HasPrefix(e.HTTP.ContentType, "application/json"):
			l.seen.JSON++
		case strings.HasPrefix(e.HTTP.ContentType, "text/event-stream"):
			l.seen.Stream++
		}
	case e.Kind == history.Finish:
		delete(l.posting, e.Exchange)
	}
}

// bodies are those of a log, nil if there are none.
func (l *bodyLog) bodies() *Bodies {
	if l.seen == (Bodies{}) {
		return nil
	}
	seen := l.seen
	return &seen
}

// aboutJSON is the note that is about exchanges that are answered with a JSON object, and
// means nothing where all were answered with a stream.
const aboutJSON = "Q3"

// noting is the rule without the notes that mean nothing at a version of the run under
// test.
func (s Summary) noting(r oracle.Rule, specVersion string) oracle.Rule {
	if s.streamedOnly(specVersion) {
		r.Notes = slices.DeleteFunc(slices.Clone(r.Notes), func(n string) bool { return strings.HasPrefix(n, aboutJSON) })
	}
	return r
}

// streamedOnly reports whether all answers at a version are known to have been streams.
func (s Summary) streamedOnly(specVersion string) bool {
	for _, g := range s.Tested() {
		if g.SpecVersion == specVersion && g.Bodies != nil {
			return g.Bodies.JSON == 0
		}
	}
	return false
}
