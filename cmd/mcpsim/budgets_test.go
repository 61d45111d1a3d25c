package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBudgetFlag(t *testing.T) {
	for _, c := range []struct {
		why   string
		typed []string
		want  map[string]time.Duration
		err   string
	}{
		{"none", nil, nil, ""},
		{"several", []string{"shutdown=5s", "stop=20ms"}, map[string]time.Duration{"shutdown": 5 * time.Second, "stop": 20 * time.Millisecond}, ""},
		{"none at all is a budget", []string{"grace=0s"}, map[string]time.Duration{"grace": 0}, ""},
		{"a misspelt one", []string{"shutdwn=5s"}, nil, "there is no such budget; there are grace (50ms), idle (10s), ping (10s), shutdown (10s), stop (0s)"},
		{"the scenario's", []string{"horizon=5s"}, nil, "the scenario sets it, as limits.horizon"},
		{"one that nothing sets", []string{"close=5s"}, nil, "it is fixed, at 10m0s"},
		{"no time", []string{"stop"}, nil, "write a time from 0s to 10m behind the =, such as stop=5s"},
		{"no unit", []string{"stop=5"}, nil, "write a time"},
		{"a time before the cancel", []string{"stop=-5s"}, nil, "write a time"},
		{"longer than a world waits", []string{"shutdown=11m"}, nil, "write a time"},
		{"two for one", []string{"stop=1s", "stop=2s"}, nil, "stop is set twice"},
	} {
		got, err := budgets(c.typed)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, c.why)
			continue
		}
		assert.NoError(t, err, c.why)
		assert.Equal(t, c.want, got, c.why)
	}
	assert.Equal(t, []string{"--budget", "shutdown=5s", "--budget", "stop=20ms"},
		budgetWords(map[string]time.Duration{"stop": 20 * time.Millisecond, "shutdown": 5 * time.Second}), "in one order")
}

// TestOver: what is given goes before what was recorded, which is left alone.
func TestOver(t *testing.T) {
	recorded := map[string]time.Duration{"stop": 1, "grace": 2}
	assert.Equal(t, map[string]time.Duration{"stop": 9, "grace": 2}, over(recorded, map[string]time.Duration{"stop": 9}))
	assert.Equal(t, map[string]time.Duration{"stop": 1, "grace": 2}, recorded)
	assert.Nil(t, over(nil, nil), "a header without budgets stays as it is")
}
