package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// StoredReport is the report of a run as its result directory has it: made from
// the manifest and the summary alone.
func StoredReport(r *Run) (Report, error) {
	s, err := r.Summary()
	if err != nil {
		return Report{}, err
	}
	m := r.Manifest
	out := Report{Manifest: m, Summary: s, Rules: RuleTexts(), Dir: r.Path, Files: FilesWorthNaming(s), Elapsed: m.elapsed()}
	if _, err := os.Stat(r.file(PlotsDir)); err != nil {
		out.Files = slices.DeleteFunc(out.Files, func(name string) bool { return name == PlotsDir+"/" })
	}
	if m.Decision != nil {
		out.Decision = *m.Decision
	} else {
		// Of a run that died, or of one of before manifests had decisions. What its
		// scenario required is not known here.
		out.Decision = Decide(s, nil, m.Flags["strict"] == "true", m.unfinished())
	}
	return out, nil
}

// elapsed is how long the run took, 0 where that is not known.
func (m Manifest) elapsed() time.Duration {
	return max(0, m.Finished.Sub(m.Started))
}

// FilesWorthNaming are those of a result directory that a report points to.
func FilesWorthNaming(s Summary) []string {
	files := []string{PlotsDir + "/", SummaryFile}
	if len(s.Findings) > 0 {
		return append([]string{FindingsDir + "/F1.md"}, files...)
	}
	return files
}

// Newest returns the result directory below root whose run began last. A
// directory that cannot be read as a result is none. It errs when there is none.
func Newest(root string) (string, error) {
	manifests, err := filepath.Glob(filepath.Join(root, "*", "*", ManifestFile))
	if err != nil {
		return "", fmt.Errorf("look for results below %s: %w", root, err)
	}
	newest, began := "", time.Time{}
	for _, name := range manifests {
		dir := filepath.Dir(name)
		if info, err := os.Lstat(dir); err != nil || info.Mode()&os.ModeSymlink != 0 {
			continue // latest, which is one of the others
		}
		run, err := Open(dir)
		if err != nil {
			continue
		}
		if newest == "" || run.Manifest.Started.After(began) {
			newest, began = dir, run.Manifest.Started
		}
	}
	if newest == "" {
		return "", fmt.Errorf("there is no result below %s; name a result directory, or make one with mcpsim run", root)
	}
	return newest, nil
}
