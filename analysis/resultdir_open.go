package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A Run is a result directory that is read. Nothing of it is held in memory
// but the manifest.
type Run struct {
	Path     string
	Manifest Manifest // its State is never Running
}

// Open opens a result directory, or the "latest" beside some. It errs when path
// is none, or was written in a form that this version does not read.
func Open(dir string) (*Run, error) {
	dir, err := followLatest(dir)
	if err != nil {
		return nil, fmt.Errorf("open the result %s: %w", dir, err)
	}
	r := &Run{Path: dir}
	data, err := os.ReadFile(r.file(ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the result %s: it has no %s, so it is no result directory; "+
			"name one, results/<scenario>/latest for instance", dir, ManifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("open the result %s: %w", dir, err)
	}
	if err := r.decode(ManifestFile, data, ManifestSchema, &r.Manifest); err != nil {
		return nil, err
	}
	if why := r.Manifest.unfinished(); why != "" {
		r.Manifest.State, r.Manifest.Reason = Partial, why
	}
	return r, nil
}

// followLatest resolves a "latest" that is a file instead of a symbolic link.
func followLatest(dir string) (string, error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, errors.New("there is no such directory; mcpsim run makes one")
	}
	if err != nil || info.IsDir() {
		return dir, err
	}
	if filepath.Base(dir) != LatestName {
		return dir, errors.New("it is a file; name the directory that it lies in")
	}
	data, err := os.ReadFile(dir)
	if err != nil {
		return dir, err
	}
	run := strings.TrimSpace(string(data))
	if run == "" || run != filepath.Base(run) {
		return dir, fmt.Errorf("it should name a run beside it and says %q; name the run itself", run)
	}
	return filepath.Join(filepath.Dir(dir), run), nil
}

func (r *Run) file(name string) string { return filepath.Join(r.Path, filepath.FromSlash(name)) }

// Partial says why the run is not whole; empty for a whole one.
func (r *Run) Partial() string { return r.Manifest.unfinished() }

// Summary reads summary.json.
func (r *Run) Summary() (Summary, error) {
	var s Summary
	data, err := r.read(SummaryFile)
	if err != nil {
		return s, err
	}
	return s, r.decode(SummaryFile, data, SummarySchema, &s)
}

// Scenario reads the scenario as it was resolved, YAML.
func (r *Run) Scenario() ([]byte, error) { return r.read(ScenarioFile) }

// Page reads the page of a finding, Markdown.
func (r *Run) Page(id string) (string, error) {
	if id != path.Base(id) {
		return "", fmt.Errorf("read finding %q of %s: not the name of a finding, such as F1", id, r.Path)
	}
	data, err := r.read(path.Join(FindingsDir, id+".md"))
	return string(data), err
}

// History reads and decompresses the history of a world; kept is false when
// the run kept none of it, which is so for most worlds.
func (r *Run) History(k HistoryKey) (encoded []byte, kept bool, err error) {
	name := historyFile(k)
	data, err := os.ReadFile(r.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, r.damage(name, err)
	}
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, false, r.damage(name, err)
	}
	defer unzip.Close()
	encoded, err = unzip.DecodeAll(data, nil)
	if err != nil {
		return nil, false, r.damage(name, truncated(err))
	}
	return encoded, true, nil
}

// EachWorld calls f with every world's line, in order of arm, version and seed;
// of a run whose process died, in the order in which worlds ended. It stops at
// the first error that f returns.
func (r *Run) EachWorld(f func(WorldLine) error) error {
	name := WorldsFile
	if _, err := os.Stat(r.file(name)); errors.Is(err, fs.ErrNotExist) && r.Partial() != "" {
		name = worldsPart
	}
	var stop error
	err := eachLine(r.file(name), func(l WorldLine) error { stop = f(l); return stop })
	switch {
	case err == nil, stop != nil:
		return stop
	case name == worldsPart && errors.Is(err, errTruncated):
		return nil // where the process died
	}
	return r.damage(name, err)
}

// World looks one world up; found is false when the run had none such.
func (r *Run) World(arm Arm, k HistoryKey) (line WorldLine, found bool, err error) {
	err = r.EachWorld(func(l WorldLine) error {
		if l.Arm == arm && l.SpecVersion == k.SpecVersion && l.Seed == k.Seed {
			line, found = l, true
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return line, found, err
}

var errFound = errors.New("found")

func (r *Run) read(name string) ([]byte, error) {
	data, err := os.ReadFile(r.file(name))
	if err != nil {
		return nil, r.damage(name, err)
	}
	return data, nil
}

// decode reads a JSON file that states the version of its form.
func (r *Run) decode(name string, data []byte, want int, v any) error {
	var form struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return r.damage(name, truncatedJSON(err))
	}
	if form.Schema != want {
		return fmt.Errorf("read %s: it is written in form %d and this mcpsim reads form %d; "+
			"use the version of mcpsim that wrote it, or run the scenario again", r.file(name), form.Schema, want)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return r.damage(name, truncatedJSON(err))
	}
	return nil
}

// damage says which file cannot be read and how to get a whole one.
func (r *Run) damage(name string, err error) error {
	again := "run the scenario again"
	if len(r.Manifest.CommandLine) > 0 {
		again = "run it again: " + ShellLine(r.Manifest.CommandLine)
	}
	why := err
	var inner *fs.PathError
	if errors.As(err, &inner) {
		why = inner.Err
	}
	if p := r.Partial(); errors.Is(err, fs.ErrNotExist) && p != "" {
		return fmt.Errorf("read %s: %w, since the run is not whole (%s); %s", r.file(name), why, p, again)
	}
	return fmt.Errorf("read %s: %w; the result is damaged: %s", r.file(name), why, again)
}

func truncated(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

func truncatedJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("not JSON from byte %d on: %w", syntax.Offset, err)
	}
	return err
}
