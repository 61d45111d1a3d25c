package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	sdk := All()[0]
	require.Equal(t, "go-sdk", sdk.Name)
	require.NotEmpty(t, sdk.Version, "the binary knows which version it links")
	for _, c := range []struct{ typed, name, err, why string }{
		{"go-sdk", "go-sdk", "", "a name alone takes what is linked"},
		{"go-sdk@" + sdk.Version, "go-sdk", "", "its own version may be named"},
		{"go-sdk@v0.0.1", "", "not go-sdk@v0.0.1", "another version is not silently replaced"},
		{"reference", "reference", "", "our own peers have no version"},
		{"reference@v1.0.0", "", "without a version of its own", "so none can be asked for"},
		{"mutant:ignores-cancel", "mutant:ignores-cancel", "", "mutants are targets"},
		{"gosdk", "", `there is no target "gosdk"`, "a typo is named"},
		{"", "", "there is no target", "nothing is nobody"},
	} {
		got, err := Find(c.typed)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, c.why)
			continue
		}
		require.NoError(t, err, c.why)
		assert.Equal(t, c.name, got.Name, c.why)
	}
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
