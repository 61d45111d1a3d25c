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

// TestSign says nothing where there is no terminal, nor of what is over at once.
func TestSign(t *testing.T) {
	var out bytes.Buffer
	startSign(&out, "the world is running").stop()
	assert.Empty(t, out.String())
	assert.Empty(t, signWords("the world is running", 900*time.Millisecond))
	assert.Equal(t, "the world is running, 12 s", signWords("the world is running", 12*time.Second))
}
