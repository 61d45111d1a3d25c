package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

func TestFind(t *testing.T) {
	all := All()
	sdk := all[0]
	require.Equal(t, "go-sdk", sdk.Name)
	require.NotEmpty(t, sdk.Version, "the binary knows which version it links")
	for _, c := range []struct{ typed, name, err, why string }{
		{"go-sdk", "go-sdk", "", "a name alone takes what is linked"},
		{"go-sdk@" + sdk.Version, "go-sdk", "", "its own version may be named"},
		{"go-sdk@v0.0.1", "", "not \"v0.0.1\"", "another version is not silently replaced"},
		{"go-sdk+json+stateless", "go-sdk+stateless+json", "", "options have one order"},
		{"go-sdk+json@" + sdk.Version, "go-sdk+json", "", "and stand before the version"},
		{"go-sdk+json@v0.0.1", "", "not \"v0.0.1\"", "which is still looked at"},
		{"go-sdk+jsn", "", `no option "jsn"; it has +stateless,`, "a typo is answered with what there is"},
		{"reference+json", "", "it has none", "also with nothing"},
		{"reference", "reference", "", "our own peers have no version"},
		{"reference@v1.0.0", "", "not \"v1.0.0\"", "so none can be asked for"},
		{"mutant:ignores-cancel", "mutant:ignores-cancel", "", "mutants are targets"},
		{"gosdk", "", `there is no target "gosdk"`, "a typo is named"},
		{"", "", "there is no target", "nothing is nobody"},
	} {
		got, err := Find(all, c.typed)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, c.why)
			continue
		}
		require.NoError(t, err, c.why)
		assert.Equal(t, c.name, got.Name, c.why)
	}
}

func TestWithOthers(t *testing.T) {
	mine := sim.Target{Name: "as it calls itself", Doc: "one of the user's"}
	all := With(map[string]string{"go-sdk": "v1.6.1"}, Own{Name: "mine", Version: "0a1b2c+dirty", Target: mine})
	got, err := Find(all, "go-sdk@v1.6.1")
	require.NoError(t, err)
	assert.Equal(t, "v1.6.1", got.Version, "the build says which version it is, not this binary's go.mod")
	got, err = Find(all, "mine@0a1b2c+dirty")
	require.NoError(t, err)
	assert.Equal(t, mine.Doc, got.Doc, "it goes by the name under which it was asked for")
	assert.Equal(t, []lease.Player{{Name: "mine", Version: "0a1b2c+dirty", Doc: mine.Doc}}, Describe([]sim.Target{got}))
}

func TestAllAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, target := range All() {
		assert.False(t, seen[target.Name], "%s is there twice", target.Name)
		seen[target.Name] = true
		assert.NotEmpty(t, target.Doc, target.Name)
		assert.NotEmpty(t, target.Package, target.Name)
		assert.NotEmpty(t, target.SpecVersions, target.Name)
		assert.True(t, target.NewClient != nil || target.NewServer != nil, "%s sits on no side", target.Name)
	}
}

// What the targets list as options they take, alone and all together.
func TestOptions(t *testing.T) {
	for _, target := range All() {
		var all []string
		for _, o := range target.Options {
			assert.NotEmpty(t, o.Doc, "%s+%s", target.Name, o.Name)
			assert.NotEmpty(t, o.Sides, "%s+%s", target.Name, o.Name)
			assert.Subset(t, target.Transports, o.Transports, "%s+%s", target.Name, o.Name)
			all = append(all, o.Name)
			got, err := Find(All(), target.Name+"+"+o.Name)
			require.NoError(t, err)
			assert.Equal(t, target.Version, got.Version)
			assert.Equal(t, target.Name+"+"+o.Name, got.Name)
		}
		got, err := Find(All(), sim.With(target.Name, all))
		require.NoError(t, err)
		assert.Equal(t, sim.With(target.Name, all), got.Name)
	}
}

func TestDescribeOptions(t *testing.T) {
	mine := sim.Target{Name: "mine", Transports: []string{sim.Stdio, sim.StreamableHTTP}, Options: []sim.Option{
		{Name: "fast", Doc: "goes faster", Sides: []history.Side{history.Server}, Transports: []string{sim.StreamableHTTP}},
	}}
	assert.Equal(t, []lease.Player{{
		Name: "mine", Transports: []string{"stdio", "streamable-http"},
		Options: []lease.Option{{Name: "fast", Doc: "goes faster", Sides: []string{"server"}, Transports: []string{"streamable-http"}}},
	}}, Describe([]sim.Target{mine}))
}
