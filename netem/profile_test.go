package netem_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
)

func TestDirectionValidate(t *testing.T) {
	require.NoError(t, netem.Direction{}.Validate())
	require.NoError(t, netem.Direction{Buffer: 1, Bandwidth: 1, Delay: wanDelay}.Validate())

	err := netem.Direction{Buffer: -1, Bandwidth: -5, Delay: netem.Delay{Distribution: netem.Constant, Value: -ms}}.Validate()
	assert.EqualError(t, err, "delay: constant: value -1ms is negative\n"+
		"bandwidth: -5 bytes/s is negative; 0 means unlimited\n"+
		"buffer: -1 bytes cannot hold anything; the least is 1, and 0 means 65536")
}

func TestProfiles(t *testing.T) {
	seen := map[string]bool{}
	for _, profile := range netem.Profiles() {
		require.NoError(t, profile.Validate(), profile.Name)
		assert.NotEmpty(t, profile.Doc)
		assert.False(t, seen[profile.Name], "%s twice", profile.Name)
		seen[profile.Name] = true

		found, err := netem.LookupProfile(profile.Name)
		require.NoError(t, err)
		assert.Equal(t, profile, found)
	}
	for _, name := range []string{"loopback", "lan", "wan", "longhaul", "mobile", "satellite"} {
		assert.True(t, seen[name], name)
	}

	_, err := netem.LookupProfile("moon")
	assert.EqualError(t, err, `no network profile "moon": there are loopback, lan, wan, longhaul, mobile, satellite`)
}

func TestProfileValidateNamesTheDirection(t *testing.T) {
	bad := netem.Direction{Bandwidth: -1}
	err := netem.Profile{Up: bad, Down: bad}.Validate()
	assert.ErrorContains(t, err, "up: bandwidth")
	assert.ErrorContains(t, err, "down: bandwidth")
}

func TestCheckStream(t *testing.T) {
	for _, fault := range []string{"loss", "reorder", "duplicate", "corrupt"} {
		err := netem.CheckStream(fault)
		require.ErrorContains(t, err, fault+" is impossible here: a byte stream ")
	}
	for _, fault := range []string{"delay", "reset", ""} {
		assert.NoError(t, netem.CheckStream(fault), "a stream can do it, or nobody knows it")
	}
}

func TestNewPipeRefusesNonsense(t *testing.T) {
	assert.PanicsWithValue(t, "netem: new pipe: buffer: -1 bytes cannot hold anything; the least is 1, and 0 means 65536",
		func() { netem.NewPipe(netem.PipeConfig{Direction: netem.Direction{Buffer: -1}}) })
}

func TestPairSharesNumbersAndEpoch(t *testing.T) {
	up, down := new(recorder), new(recorder)
	first, second := netem.NewPair(netem.PairConfig{
		Epoch: time.Now().Add(-time.Hour),
		Up:    netem.Rig{Tap: up.tap()},
		Down:  netem.Rig{Tap: down.tap()},
	})
	exchange := func(from, to netem.End, text string) {
		write(t, from.Out, text)
		assert.Equal(t, text, string(readN(t, to.In, len(text))))
	}
	exchange(first, second, "question\n")
	exchange(second, first, "answer\n")
	exchange(first, second, "thanks\n")
	assert.Equal(t, []int{1, 3}, indexes(up.read()))
	assert.Equal(t, []int{2}, indexes(down.read()))
	for _, f := range append(up.read(), down.read()...) {
		assert.GreaterOrEqual(t, f.Written, time.Hour)
		assert.Greater(t, f.Arrived, time.Hour)
	}
}
