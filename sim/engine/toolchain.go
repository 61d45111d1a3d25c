package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A toolchain is the go command and where its library lies.
type toolchain struct {
	command, goroot, version string
	env                      []string
}

// askToolchain asks the go command what it is in the source's directory, whose
// go.mod may choose another version than the one that was called.
func askToolchain(ctx context.Context, command, source string) (toolchain, error) {
	cmd := exec.CommandContext(ctx, command, "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOFLAGS=", "PWD="+source)
	out, err := cmd.Output()
	if err != nil {
		return toolchain{}, fmt.Errorf("ask %s for its environment: %w", command, err)
	}
	var env struct{ GOROOT, GOVERSION, GOMODCACHE string }
	if err := json.Unmarshal(out, &env); err != nil {
		return toolchain{}, fmt.Errorf("ask %s for its environment: %w", command, err)
	}
	t := toolchain{command: command, goroot: env.GOROOT, version: env.GOVERSION}
	if rel, err := filepath.Rel(env.GOMODCACHE, env.GOROOT); err == nil && !strings.HasPrefix(rel, "..") {
		return t.outsideModuleCache()
	}
	return t, nil
}

// outsideModuleCache reaches a toolchain that the go command downloaded through
// a link: go build -overlay replaces no file below the module cache.
func (t toolchain) outsideModuleCache() (toolchain, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return t, fmt.Errorf("link to the Go toolchain: %w", err)
	}
	dir := filepath.Join(cache, "mcpsim", "toolchains")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return t, fmt.Errorf("link to the Go toolchain: %w", err)
	}
	link := filepath.Join(dir, t.version)
	if old, err := os.Readlink(link); err != nil || old != t.goroot {
		tmp := fmt.Sprintf("%s.%d", link, os.Getpid())
		if err := errors.Join(os.Symlink(t.goroot, tmp), os.Rename(tmp, link)); err != nil {
			return t, fmt.Errorf("link to the Go toolchain: %w", err)
		}
	}
	t.goroot, t.command = link, filepath.Join(link, "bin", "go")
	t.env = []string{"GOROOT=" + link, "GOTOOLCHAIN=local"}
	return t, nil
}
