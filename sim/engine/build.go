package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/lease"
)

// A Worker is a built worker, ready to be started any number of times.
type Worker struct {
	Path    string         // of the executable
	Go      string         // version of the toolchain, "go1.26.8"
	Seeded  bool           // the runtime's chance and scheduler follow the seed
	Caveat  string         // why not, in one sentence; empty when Seeded
	Sum     string         // of the executable, 16 hex digits of its sha256; digests compare only between equal sums
	Source  string         // the tree that it was built from
	Elapsed time.Duration  // that the build took
	Players []lease.Player // who can play in it
}

// Build makes the worker of a recipe, or finds it up to date, and blocks until
// then: well under a second when nothing changed, about half a minute the first
// time. say is called with one line before each step that can take long. A
// *SetupError tells of something that the machine lacks, a *RecipeError that the
// worker cannot be built by this recipe.
func Build(ctx context.Context, recipe Recipe, say func(line string)) (Worker, error) {
	start := time.Now()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return Worker{}, &SetupError{"virtual time needs Linux or macOS, and this is " + runtime.GOOS, "run mcpsim in a container or on another machine"}
	}
	b, err := prepare(ctx, recipe, say)
	if err != nil {
		return Worker{}, err
	}
	w := Worker{Go: b.version, Source: b.source}
	if !fileExists(filepath.Join(b.dir, "worker")) || recipe.local() {
		say(b.announcement())
	}
	err = b.seeded(ctx)
	if w.Seeded = err == nil; !w.Seeded {
		if ctx.Err() != nil {
			return Worker{}, ctx.Err()
		}
		w.Caveat = "order within an instant is not seeded: " + firstLine(err)
		if perr := b.plain(ctx); perr != nil {
			return Worker{}, b.blame(perr)
		}
	}
	w.Path, w.Sum = b.kept, b.sum
	if err := b.prune(time.Now()); err != nil {
		return Worker{}, err
	}
	if w.Players, err = w.greeted(ctx); err != nil {
		if ctx.Err() != nil {
			return Worker{}, ctx.Err()
		}
		return Worker{}, b.blame(err)
	}
	w.Elapsed = time.Since(start)
	return w, nil
}

// A RecipeError says that no worker can be built, or started, by a recipe.
type RecipeError struct {
	Recipe Recipe
	Err    error
}

func (e *RecipeError) Error() string {
	return fmt.Sprintf("a worker with %s cannot be had: %v", e.Recipe, e.Err)
}

func (e *RecipeError) Unwrap() error { return e.Err }

// blame puts an error down to the recipe, if there is one.
func (b *build) blame(err error) error {
	if b.recipe.empty() {
		return err
	}
	return &RecipeError{b.recipe, err}
}

// greeted starts the worker once, to see that it starts and who plays in it.
func (w Worker) greeted(ctx context.Context) ([]lease.Player, error) {
	p, err := w.start(ctx, lease.Setup{}, time.Minute)
	if err != nil {
		return nil, err
	}
	p.kill()
	p.end()
	return p.hello.Players, nil
}

// prepare finds the go command, the source and a place for the worker.
func prepare(ctx context.Context, recipe Recipe, say func(string)) (*build, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return nil, &SetupError{"no go command in the PATH, and the worker is built with it", "install Go 1.26 or later and put its bin directory into the PATH"}
	}
	b := &build{say: say, recipe: recipe}
	if b.source, err = findSource(ctx, command); err != nil {
		return nil, err
	}
	if err := recipe.fits(b.source); err != nil {
		return nil, b.blame(err)
	}
	if b.toolchain, err = askToolchain(ctx, command, b.source); err != nil {
		return nil, err
	}
	b.dir, err = workerDir(b.toolchain, b.source, recipe)
	return b, err
}

type build struct {
	toolchain
	source, dir string
	recipe      Recipe
	say         func(string)

	kept, sum string // path and sum of what was compiled
}

// seeded builds with the runtime overlay, plain without it.
func (b *build) seeded(ctx context.Context) error {
	overlay, err := writeOverlay(b.goroot, b.dir)
	if err != nil {
		return err
	}
	return b.fit(ctx, "faketime,mcpsim_seeded", "-overlay", overlay)
}

func (b *build) plain(ctx context.Context) error { return b.fit(ctx, "faketime") }

// fit compiles; a module that an adapter does not fit may be too old for it, so
// the adapters' older forms are tried then, one after the other. What the newest lacks
// is told.
func (b *build) fit(ctx context.Context, tags string, flags ...string) error {
	err := b.compile(ctx, append(flags, "-tags", tags)...)
	if err == nil || len(b.recipe.Modules) == 0 || ctx.Err() != nil {
		return err
	}
	for _, older := range []string{",mcpsim_old", ",mcpsim_old,mcpsim_older"} {
		if b.compile(ctx, append(flags, "-tags", tags+older)...) == nil {
			return nil
		}
	}
	return err
}

// compile builds beside the finished worker, keeps what came of it, and then takes
// its place, so that several programs may build at once and none ever starts half a
// worker. The copy lets the go command see that nothing changed.
func (b *build) compile(ctx context.Context, flags ...string) (err error) {
	final := filepath.Join(b.dir, "worker")
	tmp, err := copyToTemp(final, b.dir)
	if err != nil {
		return fmt.Errorf("build the worker: %w", err)
	}
	defer func() {
		if rerr := os.Remove(tmp); rerr != nil && !errors.Is(rerr, os.ErrNotExist) && err == nil {
			err = rerr
		}
	}()
	where, remove, err := b.workspace(ctx)
	if err != nil {
		return fmt.Errorf("build the worker: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	args := slices.Concat([]string{"build", "-trimpath", "-buildvcs=false", "-o", tmp}, where.flags, flags, []string{where.pkg})
	cmd := exec.CommandContext(ctx, b.command, args...)
	cmd.Dir = where.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOOS=", "GOARCH=", "PWD="+where.dir)
	cmd.Env = append(cmd.Env, b.env...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the worker from %s: %w\n%s", b.source, err, tail(output.String(), 30))
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return fmt.Errorf("build the worker: %w", err)
	}
	if b.kept, b.sum, err = keep(tmp, b.dir); err != nil {
		return err
	}
	return os.Rename(tmp, final)
}

func (b *build) announcement() string {
	if b.recipe.empty() {
		return "building the worker: the Go runtime and the SDKs in virtual time, about half a minute, once"
	}
	if b.recipe.local() {
		return fmt.Sprintf("building a worker with %s, about half a minute where it has changed", b.recipe)
	}
	return fmt.Sprintf("building a worker with %s, about half a minute, once", b.recipe)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// tail keeps the last n lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{"..."}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}
