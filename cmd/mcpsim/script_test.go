package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestMain lets this test binary be mcpsim, for the scripts and for the tests that
// start it as a process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcpsim": main})
}

// TestScripts runs the sessions in testdata/script. They are written to be read:
// each says what a user does, and what comes of it.
func TestScripts(t *testing.T) {
	builtWorker(t) // so that no script sees it being built
	environment := goEnvironment(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, environment...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "cut": cut},
	})
}

// goEnvironment is what mcpsim needs to build its worker, which is found up to
// date; and a locale, so that what is printed does not depend on the machine.
func goEnvironment(t *testing.T) []string {
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	out := []string{"XDG_CACHE_HOME=" + cache, "HOME=" + os.Getenv("HOME"), "LC_ALL=C.UTF-8", "NO_COLOR="}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"}
	values, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	require.NoError(t, err)
	lines := strings.Split(string(values), "\n")
	for i, name := range names {
		out = append(out, name+"="+lines[i])
	}
	return out
}

// exits runs a command and checks its exit code:
//
//	exits 1 mcpsim run cancel-storm
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// cut keeps the first bytes of a file:
//
//	cut FILE BYTES
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE BYTES")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}
