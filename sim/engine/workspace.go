package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A workspace is where the go command builds a worker: in this module's source,
// or in a module of its own that is written for a recipe.
type workspace struct {
	dir   string
	pkg   string   // to build
	flags []string // for the go command
}

// workspace writes what the recipe takes. remove takes it away again.
func (b *build) workspace(ctx context.Context) (w workspace, remove func() error, err error) {
	if b.recipe.empty() {
		return workspace{dir: b.source, pkg: "./cmd/mcpsim/worker"}, func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp(b.dir, ".module-*")
	if err != nil {
		return workspace{}, nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	mod, err := b.goMod(ctx)
	if err == nil {
		err = b.writeModule(dir, mod)
	}
	if err != nil {
		return workspace{}, nil, errors.Join(err, remove())
	}
	// The sums of what the recipe brings are not known yet.
	return workspace{dir: dir, pkg: ".", flags: []string{"-mod=mod"}}, remove, nil
}

func (b *build) writeModule(dir, mod string) error {
	sums, err := os.ReadFile(filepath.Join(b.source, "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644),
		os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(b.recipe.main()), 0o644),
	)
}

// goMod is the go.mod of the module that the worker is built in. Only replace
// can take a module below the version that this one requires, and a main module
// has to repeat the replacements of those that it builds from directories.
func (b *build) goMod(ctx context.Context) (string, error) {
	var m strings.Builder
	fmt.Fprintf(&m, "module mcpsim.worker\n\ngo %s\n", strings.TrimPrefix(b.version, "go"))
	replaced := map[string]bool{}
	replace := func(path, with string) {
		if !replaced[path] {
			replaced[path] = true
			fmt.Fprintf(&m, "replace %s => %s\n", path, with)
		}
	}
	fmt.Fprintf(&m, "require %s v0.0.0\n", modulePath)
	replace(modulePath, strconv.Quote(b.source))
	dirs := []string{}
	for _, x := range b.recipe.Modules {
		if x.Dir == "" {
			replace(x.Path, x.Path+" "+x.Version)
			continue
		}
		replace(x.Path, strconv.Quote(x.Dir))
		dirs = append(dirs, x.Dir)
	}
	for _, x := range b.recipe.Packages {
		if x.Module == modulePath {
			continue
		}
		fmt.Fprintf(&m, "require %s v0.0.0\n", x.Module)
		replace(x.Module, strconv.Quote(x.Dir))
		dirs = append(dirs, x.Dir)
	}
	for _, dir := range dirs {
		mod, err := readGoMod(ctx, dir)
		if err != nil {
			return "", err
		}
		for _, r := range mod.Replace {
			replace(strings.TrimSpace(r.Old.Path+" "+r.Old.Version), replacement(dir, r.New.Path, r.New.Version))
		}
	}
	return m.String(), nil
}

// fits errs when a package of this module lies in another checkout than source, from
// which it would be compiled all the same.
func (r Recipe) fits(source string) error {
	for _, p := range r.Packages {
		if p.Module != modulePath {
			continue
		}
		theirs, err := os.Stat(p.Dir)
		if err != nil {
			return err
		}
		ours, err := os.Stat(source)
		if err != nil {
			return err
		}
		if !os.SameFile(theirs, ours) {
			return fmt.Errorf("%s is in another checkout of mcpsim, %s, than the worker is built from, %s; use the mcpsim of that checkout, or put the package into a module of its own",
				p.Player, p.Dir, source)
		}
	}
	return nil
}

// replacement is the right side of a replace directive in the go.mod of dir, for
// a go.mod elsewhere.
func replacement(dir, path, version string) string {
	if version != "" {
		return path + " " + version
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return strconv.Quote(path)
}

// main is the worker's main with the recipe's players.
func (r Recipe) main() string {
	var m strings.Builder
	m.WriteString("package main\n\nimport (\n")
	for _, path := range []string{"cmd/mcpsim/worker/serve", "sim/targets"} {
		fmt.Fprintf(&m, "\t%q\n", modulePath+"/"+path)
	}
	for i, p := range r.Packages {
		fmt.Fprintf(&m, "\town%d %q\n", i, p.Import)
	}
	m.WriteString(")\n\nfunc main() {\n\tserve.Main(targets.With(map[string]string{\n")
	for _, x := range r.Modules {
		fmt.Fprintf(&m, "\t\t%q: %q,\n", x.Player, x.Label)
	}
	m.WriteString("\t}")
	for i, p := range r.Packages {
		fmt.Fprintf(&m, ",\n\t\ttargets.Own{Name: %q, Version: %q, Target: own%d.Target()}", p.Player, p.Label, i)
	}
	m.WriteString("))\n}\n")
	return m.String()
}
