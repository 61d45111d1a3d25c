package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

func createFile(path string) (io.WriteCloser, error) { return os.Create(path) }

// WriteFile writes one file of the result, under a temporary name that is
// replaced when all bytes are on disk. name uses slashes; folders are made.
func (d *ResultDir) WriteFile(name string, data []byte) error {
	return d.note(writeWhole(d.File(name), d.create, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}

// WriteScenario keeps the scenario as it was resolved.
func (d *ResultDir) WriteScenario(yaml []byte) error { return d.WriteFile(ScenarioFile, yaml) }

// WritePage writes findings/<id>.md.
func (d *ResultDir) WritePage(id, markdown string) error {
	return d.WriteFile(path.Join(FindingsDir, id+".md"), []byte(markdown))
}

// WriteSummary writes summary.json, and its verdicts alone to verdicts.json.
func (d *ResultDir) WriteSummary(s Summary) error {
	if err := d.note(d.release()); err != nil {
		return err
	}
	// Distributions are long lists of short numbers: indented they would be five
	// times as large and no easier to read.
	return errors.Join(d.writeJSONWith(SummaryFile, s, ""), d.writeJSON(VerdictsFile, verdictsOf(s)))
}

func (d *ResultDir) writeJSON(name string, v any) error { return d.writeJSONWith(name, v, " ") }

func (d *ResultDir) writeJSONWith(name string, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return d.note(fmt.Errorf("encode %s: %w", name, err))
	}
	return d.WriteFile(name, b.Bytes())
}

// writeWhole lets fill write a file under a temporary name and renames it, so
// that the file is whole or absent. Nothing is left behind when it errs.
func writeWhole(name string, create func(string) (io.WriteCloser, error), fill func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return writeError(name, err)
	}
	temp := name + tempSuffix
	f, err := create(temp)
	if err != nil {
		return writeError(name, err)
	}
	err = fill(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(writeError(name, err), removeIfThere(temp))
	}
	return nil
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeError says what could not be written and what to do about it.
func writeError(name string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err // the path is named already
	}
	return fmt.Errorf("write %s: %w; %s", name, err, cure(err))
}

func cure(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space, or name a directory on another disk with --out"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "name a directory that you may write to with --out"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file; name another directory with --out"
	}
	return "name another directory with --out"
}

// A Verdicts is the content of verdicts.json: the rule tallies of a summary
// without the distributions.
type Verdicts struct {
	Schema int             `json:"schema"`
	Groups []GroupVerdicts `json:"groups"`
}

// GroupVerdicts are the rule tallies of one arm at one protocol version.
type GroupVerdicts struct {
	Arm         Arm         `json:"arm"`
	SpecVersion string      `json:"spec_version"`
	Worlds      int         `json:"worlds"`
	Rules       []RuleTally `json:"rules"`
}

func verdictsOf(s Summary) Verdicts {
	v := Verdicts{Schema: SummarySchema, Groups: []GroupVerdicts{}}
	for _, g := range s.Groups {
		v.Groups = append(v.Groups, GroupVerdicts{g.Arm, g.SpecVersion, g.Worlds, g.Rules})
	}
	return v
}

// BesideFile is the path, below the result directory, of a file that lies beside
// the finding's page.
func (f Finding) BesideFile(name string) string { return path.Join(FindingsDir, f.ID, name) }
