package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// modulePath is this module's.
const modulePath = "github.com/mcpsim/mcpsim"

// A SetupError is something that the user's machine lacks, with the cure.
type SetupError struct{ Problem, Cure string }

func (e *SetupError) Error() string { return e.Problem + "; " + e.Cure }

// errNoSource is what a binary says that cannot find the code it was built from.
var errNoSource = &SetupError{
	Problem: "the source of mcpsim is not to be found, and the worker is built from it",
	Cure:    "install with 'go install " + modulePath + "/cmd/mcpsim@latest', or run inside a checkout",
}

// findSource returns the root of this module's source. Where the program was
// compiled tells it, for go run, go install in a checkout and go install of a
// version alike; a binary built with -trimpath is matched to the checkout that
// it runs in, or fetched by its version and checksum. It may run the go command.
func findSource(ctx context.Context, goCommand string) (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok {
		if root := filepath.Dir(filepath.Dir(filepath.Dir(file))); isSource(root) {
			return root, nil
		}
	}
	if dir, err := os.Getwd(); err == nil {
		for ; ; dir = filepath.Dir(dir) {
			if isSource(dir) {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return downloadSource(ctx, goCommand)
}

// isSource reports whether dir is the root of this module.
func isSource(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line) == "module "+modulePath
}

// downloadSource fetches the version that this binary was built from. Only a
// version whose checksum the binary holds is trusted.
func downloadSource(ctx context.Context, goCommand string) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || info.Main.Sum == "" {
		return "", errNoSource
	}
	version := modulePath + "@" + info.Main.Version
	cmd := exec.CommandContext(ctx, goCommand, "mod", "download", "-json", version)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	var module struct{ Dir, Sum, Error string }
	if jerr := json.Unmarshal(out, &module); jerr != nil {
		return "", fmt.Errorf("download %s: %w", version, errors.Join(err, jerr))
	}
	if module.Error != "" {
		return "", fmt.Errorf("download %s: %s", version, module.Error)
	}
	if module.Sum != info.Main.Sum {
		return "", fmt.Errorf("download %s: checksum %s, but this binary was built from %s", version, module.Sum, info.Main.Sum)
	}
	return module.Dir, nil
}
