package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOverlayFitsThisGo(t *testing.T) {
	tools, err := askToolchain(t.Context(), "go", ".")
	require.NoError(t, err)
	path, err := writeOverlay(tools.goroot, t.TempDir())
	require.NoError(t, err, "each passage must occur exactly once")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(data, &overlay))
	assert.Len(t, overlay.Replace, 12)
	for original, replacement := range overlay.Replace {
		assert.FileExists(t, original)
		assert.FileExists(t, replacement)
	}
}

func TestOverlayRefusesAnotherRuntime(t *testing.T) {
	goroot := t.TempDir()
	dir := filepath.Join(goroot, "src", "runtime")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, file := range []string{"proc.go", "select.go", "rand.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("package runtime\n"), 0o644))
	}
	_, err := writeOverlay(goroot, t.TempDir())
	assert.ErrorContains(t, err, "occurs 0 times")
}
