package analysis

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The files of a result directory. README.md documents each.
const (
	ManifestFile  = "manifest.json"
	ScenarioFile  = "scenario.yaml"
	WorldsFile    = "worlds.ndjson.zst"
	SummaryFile   = "summary.json"
	VerdictsFile  = "verdicts.json"
	FindingsDir   = "findings"
	HistoriesDir  = "histories"
	PlotsDir      = "plots"
	LatestName    = "latest"
	worldsPart    = WorldsFile + ".part" // while the run goes on
	tempSuffix    = ".tmp"
	gitignoreFile = ".gitignore"
	reserveFile   = ".reserve" // while the run goes on; room for what has to be written at its end
)

// A ResultDir writes one run's result. Every file appears whole or not at all,
// and the manifest says "running" until [ResultDir.Finish], so that a directory
// left behind by a process that died is readable and known to be partial.
//
// Every error names the file and the cure. A run may ignore them all and go on
// to report on the screen; Finish then marks the directory as partial. It is
// for one goroutine.
type ResultDir struct {
	path      string
	manifest  Manifest
	worlds    *worldsWriter
	retention Retention
	kept      map[HistoryKey]bool // histories that are on disk
	failed    error               // the first error

	// create makes a file; a field so that a test can hand out a full disk.
	create func(path string) (io.WriteCloser, error)
}

// CreateRun makes root/<scenario>/<run id>/ for a new run and lets
// root/<scenario>/latest point to it. The run id is the time of m.Started, with
// a number behind it when there is one of that second already.
func CreateRun(root string, m Manifest) (*ResultDir, error) { return createRun(root, m, start) }

// A starter fills a new directory with what is known at the beginning.
type starter func(path string, m Manifest, create func(string) (io.WriteCloser, error)) (*ResultDir, error)

func createRun(root string, m Manifest, start starter) (*ResultDir, error) {
	parent := filepath.Join(root, slug(m.Scenario))
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, writeError(parent, err)
	}
	path, err := makeUnique(parent, m.Started.UTC().Format("20060102T150405Z"))
	if err != nil {
		return nil, writeError(parent, err)
	}
	d, err := start(path, m, createFile)
	if err != nil {
		return nil, err
	}
	// A run goes on without a link to it; Err tells.
	_ = d.note(pointLatest(parent, filepath.Base(path)))
	return d, nil
}

// CreateAt makes the result directory at path, as --out asks for it. The
// directory may exist if it is empty; anything else is left alone and refused.
func CreateAt(path string, m Manifest) (*ResultDir, error) { return createAt(path, m, start) }

func createAt(path string, m Manifest, start starter) (*ResultDir, error) {
	if err := refuse(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, writeError(path, err)
	}
	return start(path, m, createFile)
}

// A TakenError says that there is something already where a result was to go.
type TakenError struct{ Path, What string }

func (e *TakenError) Error() string { return fmt.Sprintf("write the result to %s: %s", e.Path, e.What) }

func refuse(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return writeError(path, err)
	}
	if !info.IsDir() {
		return &TakenError{path, "it is a file; name a new directory with --out"}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return writeError(path, err)
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, ManifestFile)); err == nil {
		return &TakenError{path, "it holds the result of an earlier run; delete it, or name a new directory with --out"}
	}
	return &TakenError{path, "it is not empty and no result of mcpsim; name a new directory with --out"}
}

// start writes what is known before the first world.
func start(path string, m Manifest, create func(string) (io.WriteCloser, error)) (*ResultDir, error) {
	d, err := begin(path, m, create)
	if err != nil {
		return nil, err
	}
	w, err := newWorldsWriter(d.File(worldsPart), create)
	if err != nil {
		return nil, err
	}
	d.worlds = w
	return d, nil
}

// begin makes a directory that has no worlds of its own.
func begin(path string, m Manifest, create func(string) (io.WriteCloser, error)) (*ResultDir, error) {
	m.Schema, m.State = ManifestSchema, Running
	d := &ResultDir{path: path, manifest: m, create: create, kept: map[HistoryKey]bool{}}
	if err := d.writeJSON(ManifestFile, d.manifest); err != nil {
		return nil, err
	}
	if err := d.WriteFile(gitignoreFile, []byte("*\n")); err != nil {
		return nil, err
	}
	if err := d.WriteFile(reserveFile, make([]byte, reserveSize)); err != nil {
		return nil, err
	}
	return d, nil
}

// reserveSize is kept free on the disk for the last state of the manifest and for
// the worlds' list, should the disk be full by then.
const reserveSize = 64 << 10

// release gives the reserve back.
func (d *ResultDir) release() error { return removeIfThere(d.File(reserveFile)) }

// Path is the directory.
func (d *ResultDir) Path() string { return d.path }

// File is the path of a file in the directory; name uses slashes.
func (d *ResultDir) File(name string) string {
	return filepath.Join(d.path, filepath.FromSlash(name))
}

// Err is the first error that any method returned, nil while all went well.
func (d *ResultDir) Err() error { return d.failed }

// Amend changes what the manifest will say once the run has ended.
func (d *ResultDir) Amend(change func(*Manifest)) { change(&d.manifest) }

// Finish ends the run: it puts the worlds in order and writes the last state of
// the manifest. partial says why the run stopped before its end; empty means
// that it is whole. A run that could not be written is never called complete.
func (d *ResultDir) Finish(partial string, now time.Time) error {
	err := d.note(d.release())
	if errors.Is(d.failed, syscall.ENOSPC) {
		// A history can be had again from its seed; the rest cannot.
		err = errors.Join(err, os.RemoveAll(d.File(HistoriesDir)))
	}
	if d.worlds != nil {
		err = errors.Join(err, d.note(d.worlds.finish(d.File(WorldsFile))))
	}
	d.manifest.Finished, d.manifest.State, d.manifest.Reason = now, Complete, ""
	if partial == "" && d.failed != nil {
		partial = d.failed.Error()
	}
	if partial != "" {
		d.manifest.State, d.manifest.Reason = Partial, partial
	}
	last := d.writeJSON(ManifestFile, d.manifest)
	if last != nil && d.manifest.State == Partial {
		last = errors.Join(last, markPartial(d.File(ManifestFile)))
	}
	return errors.Join(err, last)
}

// markPartial changes the state of a manifest that says running in its place, which takes
// no room on a full disk. The two words are of one length.
func markPartial(manifest string) error {
	const state = `"state": "`
	data, err := os.ReadFile(manifest)
	at := bytes.Index(data, []byte(state+string(Running)+`"`))
	if err != nil || at < 0 {
		return err
	}
	f, err := os.OpenFile(manifest, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(Partial), int64(at+len(state)))
	return errors.Join(err, f.Close())
}

// note remembers the first error.
func (d *ResultDir) note(err error) error {
	if d.failed == nil {
		d.failed = err
	}
	return err
}

// slug turns a scenario's name or file into a directory's name.
func slug(scenario string) string {
	base := filepath.Base(filepath.ToSlash(scenario))
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
	safe := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '-'
		}
		return r
	}, base)
	if safe = strings.Trim(safe, ". "); safe == "" {
		return "scenario"
	}
	return safe
}

// makeUnique makes a new directory; Mkdir fails if another run was faster.
func makeUnique(parent, name string) (string, error) {
	for i := 1; ; i++ {
		path := filepath.Join(parent, name)
		if i > 1 {
			path = fmt.Sprintf("%s-%d", path, i)
		}
		if err := os.Mkdir(path, 0o777); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// pointLatest replaces parent/latest. It is a symbolic link where the file
// system has them, otherwise a file that holds the run's name; [Open] follows
// both.
func pointLatest(parent, run string) error {
	link := filepath.Join(parent, LatestName)
	temp := filepath.Join(parent, "."+LatestName+"-"+run)
	if err := os.Symlink(run, temp); err != nil {
		if err := os.WriteFile(temp, []byte(run+"\n"), 0o666); err != nil {
			return writeError(link, err)
		}
	}
	if err := os.Rename(temp, link); err != nil {
		return errors.Join(writeError(link, err), os.Remove(temp))
	}
	return nil
}
