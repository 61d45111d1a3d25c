package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestProgressSpeaks is what the bar says beside itself.
func TestProgressSpeaks(t *testing.T) {
	start := time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why         string
		p           *progress
		now         time.Duration
		lastWorldAt time.Duration
		want        string
	}{
		{"many small worlds", &progress{done: 3000, findings: 2}, 10 * time.Second, 10 * time.Second, "300 worlds/s, 2 rules broken"},
		{"few large ones", &progress{done: 3, findings: 1}, 10 * time.Second, 9 * time.Second, "0.3 worlds/s, 1 rule broken"},
		{"one that takes its time", &progress{}, 12 * time.Second, 0, "0.0 worlds/s, 0 rules broken, the next runs for 12 s"},
		{"nothing is found by a selftest", &progress{plain: true, done: 100}, 10 * time.Second, 10 * time.Second, "10 worlds/s"},
	} {
		c.p.start, c.p.ended = start, start.Add(c.lastWorldAt)
		assert.Equal(t, c.want, c.p.rate(start.Add(c.now)), c.why)
	}
}

// TestProgressCounts tells the worlds under test from those of controls, as the report does.
func TestProgressCounts(t *testing.T) {
	assert.Equal(t, "3140 of 8000 (2000 worlds and 6000 of controls)", (&progress{total: 8000, controls: 6000}).of(3140))
	assert.Equal(t, "7 of 100 worlds", (&progress{total: 100}).of(7))
	assert.Equal(t, "1 world", (&progress{}).of(1), "time decides how many there will be")
}

// TestFirstWord: a build that nothing announced is announced once it takes long.
func TestFirstWord(t *testing.T) {
	heard := func(steps func(*firstWord)) string {
		var out bytes.Buffer
		steps(&firstWord{out: &out})
		return out.String()
	}
	assert.Equal(t, "late\n", heard(func(f *firstWord) { f.unlessSaid("late"); f.unlessSaid("later") }))
	assert.Equal(t, "once\n", heard(func(f *firstWord) { f.say("once"); f.unlessSaid("late") }))
	assert.Empty(t, heard(func(f *firstWord) { f.end(); f.unlessSaid("late") }), "it is over")
}

// TestSign says nothing where there is no terminal, nor of what is over at once.
func TestSign(t *testing.T) {
	var out bytes.Buffer
	startSign(&out, "the world is running").stop()
	assert.Empty(t, out.String())
	assert.Empty(t, signWords("the world is running", 900*time.Millisecond))
	assert.Equal(t, "the world is running, 12 s", signWords("the world is running", 12*time.Second))
}
