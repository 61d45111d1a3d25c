package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
)

func TestReadTyped(t *testing.T) {
	for typed, want := range map[string]sim.Typed{
		"":                         {Options: []string{}},
		"go-sdk":                   {Name: "go-sdk", Options: []string{}},
		"go-sdk@":                  {Name: "go-sdk", Options: []string{}, Pinned: true},
		"go-sdk+stateless+json":    {Name: "go-sdk", Options: []string{"stateless", "json"}},
		"go-sdk+json@v1.7.0":       {Name: "go-sdk", Options: []string{"json"}, Where: "v1.7.0", Pinned: true},
		"go-sdk@0a1b2c+dirty":      {Name: "go-sdk", Options: []string{}, Where: "0a1b2c+dirty", Pinned: true},
		"mine+fast@../a+b@c":       {Name: "mine", Options: []string{"fast"}, Where: "../a+b@c", Pinned: true},
		"mutant:answers-cancelled": {Name: "mutant:answers-cancelled", Options: []string{}},
		"go-sdk+":                  {Name: "go-sdk", Options: []string{""}},
	} {
		assert.Equal(t, want, sim.ReadTyped(typed), typed)
	}
}

func TestChoose(t *testing.T) {
	has := []string{"stateless", "propagate", "json"}
	for typed, want := range map[string]string{
		"go-sdk":                      "go-sdk",
		"go-sdk+json":                 "go-sdk+json",
		"go-sdk+json+stateless":       "go-sdk+stateless+json",
		"go-sdk+json@v1.7.0":          "go-sdk+json",
		"go-sdk+propagate+json@./dir": "go-sdk+propagate+json",
	} {
		name := sim.ReadTyped(typed)
		got, err := sim.Choose(name.Name, has, name.Options)
		require.NoError(t, err, typed)
		assert.Equal(t, want, sim.With(name.Name, got), typed)
	}
	for typed, want := range map[string]string{
		"go-sdk+jsno":             `go-sdk has no option "jsno"; it has +stateless, +propagate, +json`,
		"go-sdk+JSON":             `go-sdk has no option "JSON"`,
		"go-sdk+":                 "go-sdk+: write an option behind the +",
		"go-sdk++json":            "go-sdk++json: write an option behind the +",
		"go-sdk+json+json@v1.7.0": "go-sdk+json+json: json is written twice",
	} {
		name := sim.ReadTyped(typed)
		_, err := sim.Choose(name.Name, has, name.Options)
		assert.ErrorContains(t, err, want, typed)
	}
	_, err := sim.Choose("reference", nil, []string{"json"})
	assert.EqualError(t, err, `reference has no option "json"; it has none, so leave out the +`)
}

func TestOn(t *testing.T) {
	base := sim.Target{Name: "mine+fast", Version: "v1", Asks: []string{"roots/list"}}
	assert.Equal(t, base, base.On(sim.Stdio), "the same over all")
	base.Over = func(transport string) sim.Target { return sim.Target{Name: "other", OneWorld: transport == sim.Stdio} }
	over := base.On(sim.Stdio)
	assert.Equal(t, "mine+fast v1", over.Name+" "+over.Version, "however it calls itself")
	assert.Empty(t, over.Asks)
	assert.True(t, over.OneWorld)
	assert.False(t, base.On(sim.HTTPSSE).OneWorld)
	base.OneWorld = true
	assert.True(t, base.On(sim.HTTPSSE).OneWorld, "what holds for the target holds over every transport")
}

func TestAlone(t *testing.T) {
	parse := func(text string) *sim.Scenario {
		sc, err := sim.Parse("test.yaml", []byte("name: one\nsummary: one\nhandlers: [{kind: instant}]\n"+text))
		require.NoError(t, err)
		return sc
	}
	plain, tasks := parse("transport: streamable-http\n"), parse("transport: streamable-http\nload: {requests: [{kind: tools/call, task: {wait: result, give_up: task}}]}\n")
	assert.False(t, sim.Target{}.Alone(plain))
	assert.True(t, sim.Target{OneWorld: true}.Alone(plain))
	assert.False(t, sim.Target{DatesTasks: true}.Alone(plain), "nothing is dated there")
	assert.True(t, sim.Target{DatesTasks: true}.Alone(tasks))
	over := sim.Target{Over: func(transport string) sim.Target { return sim.Target{OneWorld: transport == sim.Stdio} }}
	assert.False(t, over.Alone(plain))
	assert.True(t, over.Alone(parse("")))
}
