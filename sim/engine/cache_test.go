package engine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeepNamesWhatWasBuilt: a worker that another program puts into place meanwhile
// does not get the name of this one's.
func TestKeepNamesWhatWasBuilt(t *testing.T) {
	dir := tree(t, map[string]string{"worker": "theirs", ".worker-1": "ours", ".worker-2": "theirs"})
	ours, sum, err := keep(filepath.Join(dir, ".worker-1"), dir)
	require.NoError(t, err)
	theirs, _, err := keep(filepath.Join(dir, ".worker-2"), dir)
	require.NoError(t, err)
	assert.NotEqual(t, ours, theirs)
	for path, want := range map[string]string{ours: "ours", theirs: "theirs"} {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	again, same, err := keep(filepath.Join(dir, ".worker-1"), dir)
	require.NoError(t, err)
	assert.Equal(t, []string{ours, sum}, []string{again, same}, "the same content, the same name")
}

// TestPrune: what has been out of use for long goes, and nothing else.
func TestPrune(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	ages := map[string]struct {
		age  time.Duration
		goes bool
		why  string
	}{
		"worker-own/worker-current":        {90 * day, false, "it is about to be started"},
		"worker-own/worker-other":          {29 * day, false, "another program may run it"},
		"worker-own/worker-old":            {31 * day, true, "nobody has built it for a month"},
		"worker-own/worker":                {90 * day, false, "the next build begins from it"},
		"worker-own/rand.go":               {90 * day, false, "part of the overlay"},
		"worker-own/.worker-1":             {hour, false, "another program may be building"},
		"worker-own/.worker-2":             {2 * day, true, "its build was killed"},
		"worker-own/.module-1":             {2 * day, true, "its build was killed"},
		"worker-own/.tmp-1":                {2 * day, true, "its build was killed"},
		"worker-other":                     {29 * day, false, "a recipe that was used lately"},
		"worker-abandoned":                 {31 * day, true, "a recipe that is used no longer"},
		"something-that-is-not-a-worker's": {90 * day, false, "not this package's"},
	}
	files := map[string]string{"worker-other/worker": "", "worker-abandoned/worker": "", "something-that-is-not-a-worker's/x": "",
		"worker-own/.module-1/go.mod": ""}
	for name := range ages {
		if filepath.Dir(name) != "." && filepath.Base(name) != ".module-1" {
			files[name] = ""
		}
	}
	cache, now := tree(t, files), time.Now()
	for name, x := range ages {
		then := now.Add(-x.age)
		require.NoError(t, os.Chtimes(filepath.Join(cache, name), then, then))
	}
	b := build{dir: filepath.Join(cache, "worker-own"), kept: filepath.Join(cache, "worker-own", "worker-current")}
	require.NoError(t, b.prune(now))
	for name, x := range ages {
		assert.Equal(t, !x.goes, fileExists(filepath.Join(cache, name)), "%s: %s", name, x.why)
	}
}

// TestCopyToTempLeavesNothing of what it could not copy.
func TestCopyToTempLeavesNothing(t *testing.T) {
	dir := tree(t, map[string]string{"worker/is-a-directory": ""})
	_, err := copyToTemp(filepath.Join(dir, "worker"), dir)
	require.Error(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}
