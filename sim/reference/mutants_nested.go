package reference

import (
	"context"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
)

// The defects of what servers ask of clients while a tool is at work.
const (
	keepsAsking     defect = "keeps-asking"
	strandsTools    defect = "strands-tools"
	lateAnswer      defect = "takes-late-answer"
	answersRetract  defect = "answers-retracted"
	orphansAnswers  defect = "orphans-answers"
	nestedScenario         = "nested-calls"
	lateAnswerGrace        = time.Second
)

func nestedMutants() []Mutant {
	return []Mutant{{
		Name: string(keepsAsking), defect: keepsAsking, Side: history.Server, Scenario: nestedScenario,
		Doc:    "does not tell the client that what a tool had asked is not wanted any more: NESTED-CANCELLED; no defect since 2026-07-28",
		Legacy: []string{"NESTED-CANCELLED"},
	}, {
		Name: string(strandsTools), defect: strandsTools, Side: history.Server, Scenario: nestedScenario,
		Doc:    "cancels what a tool had asked, and holds the tool until an answer comes: CALLER-UNBLOCKS; no defect since 2026-07-28",
		Legacy: []string{"CALLER-UNBLOCKS"},
	}, {
		Name: string(lateAnswer), defect: lateAnswer, Side: history.Server, Scenario: nestedScenario,
		Doc:    "cancels what a tool had asked, and still hands it an answer that comes within a second: LATE-IGNORED; no defect since 2026-07-28",
		Legacy: []string{"LATE-IGNORED"},
	}, {
		Name: string(answersRetract), defect: answersRetract, Side: history.Client, Scenario: nestedScenario,
		Doc:    "tells its application that the server has cancelled, and answers with its error: CANCEL-NO-RESPONSE; no defect since 2026-07-28",
		Legacy: []string{"CANCEL-NO-RESPONSE"},
	}, {
		Name: string(orphansAnswers), defect: orphansAnswers, Side: history.Client, Scenario: nestedScenario,
		Doc:    "falls silent when the server cancels, but never tells its application: CANCEL-STOP-WORK; no defect since 2026-07-28",
		Legacy: []string{"CANCEL-STOP-WORK"},
	}}
}

// keepsAsking reports whether the server tells the client nothing of a question that
// nobody wants answered any more.
func (n *session) keepsAsking() bool { return n.defect == keepsAsking }

// afterRetracting runs in the tool once its question is forgotten, and returns what
// the tool gets.
func (n *session) afterRetracting(ctx context.Context, r sim.Request, id string) (string, error) {
	if n.defect != strandsTools && n.defect != lateAnswer {
		return "", ctx.Err()
	}
	answer := n.asks.reopen(id)
	if answer == nil {
		return "", ctx.Err()
	}
	var patience <-chan time.Time
	if n.defect == lateAnswer {
		timer := time.NewTimer(lateAnswerGrace)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case m := <-answer:
		return answered(ctx, r.Method, m)
	case <-patience:
		return "", ctx.Err()
	}
}

// reopen takes a question up again that was dropped; nil when the client has gone.
func (q *questions) reopen(id string) chan *history.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down {
		return nil
	}
	q.waiting[id] = make(chan *history.Message, 1)
	return q.waiting[id]
}

func (l *link) answersRetracted() bool { return l.defect == answersRetract }

func (l *link) orphansAnswers() bool { return l.defect == orphansAnswers }
