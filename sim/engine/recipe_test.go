package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const someSDK = "example.com/sdk"

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	who := []string{"-C", dir, "-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"}
	out, err := exec.Command("git", append(who, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestFindModuleInADirectory(t *testing.T) {
	for _, c := range []struct {
		why   string
		files map[string]string
		err   string
	}{
		{"a checkout", map[string]string{"go.mod": "module " + someSDK + "\n"}, ""},
		{"a directory of something else", map[string]string{"go.mod": "module example.com/other\n"}, "that of example.com/other; name a checkout of " + someSDK},
		{"a directory without a go.mod", map[string]string{"a.go": "package a\n"}, "there is no go.mod in"},
		{"a go.mod that is none", map[string]string{"go.mod": "modul x\n"}, "unknown directive"},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := tree(t, c.files)
			m, err := FindModule(t.Context(), "some-sdk", someSDK, dir)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				assert.ErrorContains(t, err, "some-sdk@"+dir, "the error names what was typed")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, Module{Player: "some-sdk", Path: someSDK, Dir: dir, Label: "uncommitted"}, m)
		})
	}
	_, err := FindModule(t.Context(), "some-sdk", someSDK, "./nowhere")
	assert.ErrorContains(t, err, "there is no directory")
	_, err = FindModule(t.Context(), "some-sdk", someSDK, filepath.Join(tree(t, map[string]string{"f": ""}), "f"))
	assert.ErrorContains(t, err, "is no directory")
}

// TestLabelOfACheckout follows a directory from its first commit to an edit.
func TestLabelOfACheckout(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": "module " + someSDK + "\n"})
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	clean, err := FindModule(t.Context(), "some-sdk", someSDK, dir)
	require.NoError(t, err)
	assert.Regexp(t, "^[0-9a-f]{12}$", clean.Label)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.go"), []byte("package sdk\n"), 0o644))
	edited, err := FindModule(t.Context(), "some-sdk", someSDK, dir)
	require.NoError(t, err)
	assert.Equal(t, clean.Label+"+dirty", edited.Label, "a file that is not committed counts, too")
}

// TestLabelLeavesTheCheckoutAlone: asking for its state does not write its index, which
// git would do where a file is newer than it says.
func TestLabelLeavesTheCheckoutAlone(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": "module " + someSDK + "\n"})
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	index := filepath.Join(dir, ".git", "index")
	before, err := os.ReadFile(index)
	require.NoError(t, err)
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "go.mod"), later, later))
	_, err = commit(t.Context(), dir)
	require.NoError(t, err)
	after, err := os.ReadFile(index)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// TestPackageOfAnotherCheckout: what is compiled is what is labelled. A package of this
// module comes from the source of the worker, so it cannot come from elsewhere.
func TestPackageOfAnotherCheckout(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(here, link))
	of := func(module, dir string) Recipe {
		return Recipe{Packages: []Package{{Player: "mine", Module: module, Dir: dir}}}
	}
	assert.NoError(t, of(modulePath, here).fits(here))
	assert.NoError(t, of(modulePath, link).fits(here), "the same by another name")
	assert.NoError(t, of("example.com/mine", elsewhere).fits(here), "another module")
	assert.ErrorContains(t, of(modulePath, elsewhere).fits(here), "mine is in another checkout of mcpsim, "+elsewhere)
}

func TestFindPackage(t *testing.T) {
	for _, c := range []struct {
		why   string
		files map[string]string
		below string
		err   string
	}{
		{"a package below its module", map[string]string{"go.mod": "module example.com/mine\n", "target/t.go": "package target\n"}, "target", ""},
		{"package main", map[string]string{"go.mod": "module example.com/mine\n", "t.go": "package main\n"}, ".", "package main cannot be linked in"},
		{"no Go files", map[string]string{"go.mod": "module example.com/mine\n", "t.txt": ""}, ".", "no Go package"},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := tree(t, c.files)
			p, err := FindPackage(t.Context(), "mine", filepath.Join(dir, c.below))
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "example.com/mine/target", p.Import)
			assert.Equal(t, "example.com/mine", p.Module)
		})
	}
}

// TestWrittenModule holds what a main module has to say for others: it is the
// only one whose replacements count.
func TestWrittenModule(t *testing.T) {
	checkout := tree(t, map[string]string{"go.mod": "module " + someSDK + "\n\nreplace example.com/a => ../a\n\nreplace example.com/b v1.0.0 => example.com/c v1.2.0\n"})
	mine := tree(t, map[string]string{"go.mod": "module example.com/mine\n\nreplace " + modulePath + " => ../elsewhere\n"})
	b := &build{source: "/src", toolchain: toolchain{version: "go1.26.1"}, recipe: Recipe{
		Modules: []Module{
			{Player: "one", Path: "example.com/one", Version: "v1.2.3", Label: "v1.2.3"},
			{Player: "sdk", Path: someSDK, Dir: checkout, Label: "0a1b"},
		},
		Packages: []Package{{Player: "mine", Import: "example.com/mine/target", Module: "example.com/mine", Dir: mine, Label: "2c3d+dirty"}},
	}}
	mod, err := b.goMod(t.Context())
	require.NoError(t, err)
	for _, line := range []string{
		"go 1.26.1\n",
		"replace " + modulePath + " => \"/src\"\n",
		"replace example.com/one => example.com/one v1.2.3\n",
		"replace " + someSDK + " => \"" + checkout + "\"\n",
		"replace example.com/a => \"" + filepath.Join(filepath.Dir(checkout), "a") + "\"\n",
		"replace example.com/b v1.0.0 => example.com/c v1.2.0\n",
		"require example.com/mine v0.0.0\n",
	} {
		assert.Contains(t, mod, line)
	}
	assert.NotContains(t, mod, "elsewhere", "the program and its worker are of one source")
	main := b.recipe.main()
	assert.Contains(t, main, `"one": "v1.2.3",`)
	assert.Contains(t, main, `targets.Own{Name: "mine", Version: "2c3d+dirty", Target: own0.Target()}`)
	assert.Equal(t, "one v1.2.3 and sdk 0a1b and mine 2c3d+dirty", b.recipe.String())
}

func TestReleasedSaysWhatTheProxySays(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	_, err := FindModule(t.Context(), "some-sdk", someSDK, "v9.9.9")
	assert.ErrorContains(t, err, "some-sdk@v9.9.9: ")
	assert.ErrorContains(t, err, "disabled by GOPROXY=off", "in its own words")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = FindModule(ctx, "some-sdk", someSDK, "v9.9.9")
	assert.Error(t, err, "an interrupt ends it")
}

func TestWithoutPlayback(t *testing.T) {
	head := func(n byte) string { return "\x00\x00PB12345678\x00\x00\x00" + string(n) }
	for _, c := range []struct{ in, want, why string }{
		{"plain", "plain", "a process that died before its clock began"},
		{head(3) + "abc" + head(2) + "de", "abcde", "pieces"},
		{"x" + head(1) + "y", "xy", "a header in between"},
		{"x\x00\x00PB123", "x", "a header that was cut"},
	} {
		assert.Equal(t, c.want, withoutPlayback(c.in), c.why)
	}
}
