package oracle

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The same history under several budgets: only they decide.
func TestBudgets(t *testing.T) {
	late := script{text: running + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		60 server told 1; end 1 canceled`}
	lateTask := asTask(`40 client cancel 1; > revoke 1
		50 server < revoke 1; > revoked 1 cancelled
		60 client < revoked 1 cancelled; return 1 canceled
		70 server told 1; end 1 canceled`)
	slow := bare(closedEarly + `9060 server told 1; end 1 canceled; hangup; served`)
	for _, c := range []struct {
		why, rule string
		script    script
		budgets   map[string]time.Duration
		clock     string
		want      Status
	}{
		{"twenty milliseconds are too long by default", "CANCEL-STOP-WORK", late, nil, "", Fail},
		{"and within a budget of thirty", "CANCEL-STOP-WORK", late, map[string]time.Duration{"stop": 30 * ms}, "", Pass},
		{"but not within one of ten", "CANCEL-STOP-WORK", late, map[string]time.Duration{"stop": 10 * ms}, "", Fail},
		{"so for the tool of a task", "TASK-STOP-WORK", lateTask, nil, "", Fail},
		{"likewise within a budget of thirty", "TASK-STOP-WORK", lateTask, map[string]time.Duration{"stop": 30 * ms}, "", Pass},
		{"likewise not within one of ten", "TASK-STOP-WORK", lateTask, map[string]time.Duration{"stop": 10 * ms}, "", Fail},
		{"in wall time they are within the grace", "CANCEL-STOP-WORK", late, nil, "wall", Pass},
		{"which can be made shorter", "CANCEL-STOP-WORK", late, map[string]time.Duration{"grace": ms}, "wall", Fail},
		{"nine seconds are soon enough to end by default", "SHUT-STDIO-SERVER", slow, nil, "", Pass},
		{"and not within five", "SHUT-STDIO-SERVER", slow, map[string]time.Duration{"shutdown": 5 * time.Second}, "", Fail},
		{"another budget changes nothing", "SHUT-STDIO-SERVER", slow, map[string]time.Duration{"stop": time.Second}, "", Pass},
	} {
		h := c.script.history(t)
		h.Header.Budgets = c.budgets
		if c.clock != "" {
			h.Header.Clock = c.clock
		}
		assert.Equal(t, c.want, verdictOf(t, Judge(h), c.rule).Status, c.why)
	}
}

// What a budget bounds is measured where the rule was kept.
func TestTook(t *testing.T) {
	j := Judge(script{text: running + `30 server end 1 "done 1"; > result 1
		40 client < result 1; return 1 "done 1"`}.history(t))
	assert.Equal(t, []time.Duration{0}, verdictOf(t, j, "SHUT-STDIO-SERVER").Took, "it ended in the instant of the end of its input")
	assert.Equal(t, []time.Duration{2 * ms}, verdictOf(t, j, "CLOSE-BOUNDED").Took, "from Close to its return")
}

func TestBudgetTable(t *testing.T) {
	for _, b := range Budgets() {
		assert.NotEmpty(t, b.What, b.Name)
		assert.NotEmpty(t, b.Why, b.Name)
		assert.False(t, b.Fixed && b.SetBy != "", "%s is fixed, or something sets it", b.Name)
		require.NotEmpty(t, b.Rules, b.Name)
		for _, id := range b.Rules {
			r, ok := FindRule(id)
			require.True(t, ok, "%s bounds %s", b.Name, id)
			assert.Contains(t, r.Budgets(), b, id)
		}
	}
	_, ok := FindBudget("patience")
	assert.False(t, ok)
}

func TestBudgetOfAHistory(t *testing.T) {
	shutdown, _ := FindBudget("shutdown")
	horizon, _ := FindBudget("horizon")
	h := history.Header{Horizon: time.Minute}
	assert.Equal(t, 10*time.Second, shutdown.In(h))
	assert.Equal(t, time.Minute, horizon.In(h), "the scenario's, which the header has")
	h.Budgets = map[string]time.Duration{"shutdown": time.Second}
	assert.Equal(t, time.Second, shutdown.In(h))
}

// Whatever a longer grace changes the verdict on is held to it. What a rule says of the
// same acts as another, or under another, may follow from that.
func TestRulesOfTheGrace(t *testing.T) {
	grace, _ := FindBudget(budgetGrace)
	differ := map[string]bool{}
	late := script{handlers: []string{"chatty"}, text: running + `30 client cancel 1; > cancel 1; return 1 canceled
		40 server < cancel 1
		60 server > progress 1; told 1; end 1 canceled
		70 client < progress 1`}.history(t)
	for _, h := range append(slices.Clone(everything(t)), late) {
		own := *h
		own.Header.Clock = "wall"
		own.Header.Budgets = map[string]time.Duration{budgetGrace: 0}
		strict := Judge(&own).Verdicts
		for _, d := range []time.Duration{graceBudget, time.Hour} {
			own.Header.Budgets = map[string]time.Duration{budgetGrace: d}
			for i, v := range Judge(&own).Verdicts {
				w := strict[i]
				if v.Status != w.Status || v.Failed != w.Failed || v.Checked != w.Checked || !slices.Equal(v.Uncounted, w.Uncounted) {
					differ[v.Rule] = true
				}
			}
		}
	}
	for rule := range differ {
		assert.Contains(t, grace.Rules, rule)
	}
	for _, rule := range grace.Rules {
		assert.True(t, differ[rule], "%s is the same under any grace", rule)
	}
}
