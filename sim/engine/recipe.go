package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Recipe says what a worker is built with instead of, or beside, what this
// module's own go.mod names. The zero value changes nothing.
type Recipe struct {
	Modules  []Module  // built from another version, or from a directory
	Packages []Package // players of the user's own
}

// A Module is a player that this module knows, from elsewhere.
type Module struct {
	Player  string // "go-sdk"
	Path    string // of the module
	Version string // "v1.7.0"; empty when it comes from Dir
	Dir     string // absolute; empty when it is a released version
	Label   string // what people read: the version, or the commit of Dir
}

// A Package is a player that this module does not know: a package with the
// function
//
//	func Target() sim.Target
type Package struct {
	Player string // what it is called on the command line
	Import string // path of the package
	Module string // path of its module
	Dir    string // of the module, absolute
	Label  string // the commit of Dir
}

// empty reports whether the worker is the one of this module's go.mod.
func (r Recipe) empty() bool { return len(r.Modules) == 0 && len(r.Packages) == 0 }

// local reports whether something comes from a directory, which may have changed.
func (r Recipe) local() bool {
	return len(r.Packages) > 0 || slices.ContainsFunc(r.Modules, func(m Module) bool { return m.Dir != "" })
}

// String names what is special, for messages: "go-sdk v1.7.0 and mine 1a2b3c".
func (r Recipe) String() string {
	var out []string
	for _, m := range r.Modules {
		out = append(out, m.Player+" "+m.Label)
	}
	for _, p := range r.Packages {
		out = append(out, p.Player+" "+p.Label)
	}
	return strings.Join(out, " and ")
}

// IsPath reports whether where, of a NAME@WHERE, names a directory and not a version:
// it is "." or "..", or has a slash.
func IsPath(where string) bool {
	return where == "." || where == ".." || strings.ContainsAny(where, `/\`)
}

// FindModule resolves where a module is to come from: a directory if that is what
// [IsPath] takes where for, and otherwise whatever the go command takes for a
// version, "v1.7.0", "latest" or a commit. It may reach the module proxy, and blocks
// meanwhile.
func FindModule(ctx context.Context, player, path, where string) (Module, error) {
	m := Module{Player: player, Path: path}
	var err error
	if IsPath(where) {
		m.Dir, m.Label, err = moduleDir(ctx, path, where)
	} else {
		m.Version, err = released(ctx, path, where)
		m.Label = m.Version
	}
	if err != nil {
		return Module{}, fmt.Errorf("%s@%s: %w", player, where, err)
	}
	return m, nil
}

// moduleDir makes sure that the directory holds the module.
func moduleDir(ctx context.Context, path, where string) (dir, label string, err error) {
	if dir, err = filepath.Abs(where); err != nil {
		return "", "", err
	}
	mod, err := readGoMod(ctx, dir)
	if err != nil {
		return "", "", err
	}
	if mod.Module.Path != path {
		return "", "", fmt.Errorf("the go.mod there is that of %s; name a checkout of %s", mod.Module.Path, path)
	}
	label, err = commit(ctx, dir)
	return dir, label, err
}

// FindPackage resolves a directory with a player of the user's own.
func FindPackage(ctx context.Context, player, where string) (Package, error) {
	p, err := findPackage(ctx, where)
	if err != nil {
		return Package{}, fmt.Errorf("%s@%s: %w", player, where, err)
	}
	p.Player = player
	return p, nil
}

func findPackage(ctx context.Context, where string) (Package, error) {
	dir, err := filepath.Abs(where)
	if err != nil {
		return Package{}, err
	}
	if err := mustBeDir(dir); err != nil {
		return Package{}, err
	}
	out, err := goCommand(ctx, dir, "list", "-e", "-find", "-json=ImportPath,Name,Module,Error")
	if err != nil {
		return Package{}, err
	}
	var got struct {
		ImportPath, Name string
		Module           *struct{ Path, Dir string }
		Error            *struct{ Err string }
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return Package{}, fmt.Errorf("read what go list says: %w", err)
	}
	switch {
	case got.Module == nil && got.Error == nil:
		return Package{}, errors.New("no go.mod there or above; put the package into a module that requires " + modulePath)
	case got.Error != nil:
		return Package{}, fmt.Errorf("no Go package: %s", got.Error.Err)
	case got.Name == "main":
		return Package{}, errors.New("package main cannot be linked in; name a package with the function Target() sim.Target")
	}
	p := Package{Import: got.ImportPath, Module: got.Module.Path, Dir: got.Module.Dir}
	p.Label, err = commit(ctx, p.Dir)
	return p, err
}

// released asks the go command for a released version, and fetches it.
func released(ctx context.Context, path, query string) (string, error) {
	// The answer is JSON even where it is a refusal.
	out, err := goCommand(ctx, os.TempDir(), "mod", "download", "-json", path+"@"+query)
	var got struct{ Version, Error string }
	if jerr := json.Unmarshal(out, &got); jerr != nil {
		return "", errors.Join(err, jerr)
	}
	if got.Error != "" {
		return "", errors.New(got.Error + "; for a checkout write a path, ./ or ../ in front")
	}
	return got.Version, err
}

type goMod struct {
	Module  struct{ Path string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

func readGoMod(ctx context.Context, dir string) (goMod, error) {
	if err := mustBeDir(dir); err != nil {
		return goMod{}, err
	}
	if !fileExists(filepath.Join(dir, "go.mod")) {
		return goMod{}, fmt.Errorf("there is no go.mod in %s; name the root of a checkout", dir)
	}
	out, err := goCommand(ctx, dir, "mod", "edit", "-json")
	if err != nil {
		return goMod{}, err
	}
	var mod goMod
	if err := json.Unmarshal(out, &mod); err != nil {
		return goMod{}, fmt.Errorf("read %s: %w", filepath.Join(dir, "go.mod"), err)
	}
	return mod, nil
}

func mustBeDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no directory %s", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", dir)
	}
	return nil
}

// commit names the state of a directory: its commit, with "+dirty" when there is
// more than that, or "uncommitted" where there is no repository. Asking takes no lock
// and writes nothing.
func commit(ctx context.Context, dir string) (string, error) {
	head, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "uncommitted", ctx.Err()
	}
	status, err := exec.CommandContext(ctx, "git", "--no-optional-locks", "-C", dir, "status", "--porcelain", "--", ".").Output()
	if err != nil {
		return "", fmt.Errorf("ask git for the state of %s: %w", dir, err)
	}
	label := strings.TrimSpace(string(head))
	if len(status) > 0 {
		label += "+dirty"
	}
	return label, nil
}

// goCommand runs the go command in a directory and returns what it printed. Its
// error holds what it complained of.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "PWD="+dir)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, fmt.Errorf("go %s: %s", args[0], tail(string(exit.Stderr), 10))
	}
	return out, err
}
