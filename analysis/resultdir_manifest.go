package analysis

import (
	"strconv"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// ManifestSchema is the version of the JSON form of [Manifest].
const ManifestSchema = 1

// A State is how far a run has come.
type State string

// Running on disk means that the process died: a reader takes it for partial.
const (
	Running  State = "running"
	Complete State = "complete"
	Partial  State = "partial"
)

// A Manifest says how a run was made: all that it takes to make it again, and
// how it ended.
type Manifest struct {
	Schema         int               `json:"schema"`
	Mcpsim         string            `json:"mcpsim"` // version of mcpsim, "0.1.0"
	Go             string            `json:"go"`     // of the worker, "go1.26.8"
	OS             string            `json:"os"`
	Arch           string            `json:"arch"`
	CPUs           int               `json:"cpus"`
	CommandLine    []string          `json:"command_line"`           // as typed, with drawn seeds written out
	Flags          map[string]string `json:"flags"`                  // resolved, the defaults too
	ReplayFlags    []string          `json:"replay_flags,omitempty"` // what a replay has to be given beside the usual, word by word: "--scheduler-seed", "7"
	Scenario       string            `json:"scenario"`               // its name or file, as typed
	ScenarioSHA256 string            `json:"scenario_sha256"`
	Client         history.Peer      `json:"client"`
	Server         history.Peer      `json:"server"`
	Sources        map[string]string `json:"sources,omitempty"` // of targets built from a directory: its path as typed, by the target's name without options
	Transport      string            `json:"transport"`         // "stdio"
	Clock          string            `json:"clock"`             // "virtual" or "wall"
	Network        string            `json:"network"`           // in one line: "wan (5 ms + exp 20 ms each way)"
	Seeds          string            `json:"seeds"`             // that were run: "0-999"
	SpecVersions   []string          `json:"spec_versions"`     // ascending
	Worlds         int               `json:"worlds"`            // to be run under test; the other arms come on top
	Seeded         bool              `json:"seeded"`            // the runtime's chance and scheduler followed the seed
	Started        time.Time         `json:"started"`
	Finished       time.Time         `json:"finished,omitzero"`
	State          State             `json:"state"`
	Reason         string            `json:"reason,omitempty"`   // of a partial run
	Ended          string            `json:"ended,omitempty"`    // why a whole run took fewer seeds than it was given: "at the first finding"
	Decision       *Decision         `json:"decision,omitempty"` // nil: the run did not come to one

	Scenarios []SweptScenario `json:"scenarios,omitempty"` // of a sweep, in their order; empty: one scenario was run
}

// Pair names the two targets the way people read them.
func (m Manifest) Pair() Pair { return Pair{Client: m.spaced(m.Client), Server: m.spaced(m.Server)} }

func (m Manifest) spaced(p history.Peer) string {
	name := strings.TrimSpace(p.Target + " " + p.Version)
	if path, ok := m.Sources[p.Name()]; ok {
		name += " (" + path + ")"
	}
	return name
}

// Typed is how a target is asked for on a command line, with its version or its
// directory.
func (m Manifest) Typed(p history.Peer) string {
	path, local := m.Sources[p.Name()]
	switch {
	case local:
		return p.Target + "@" + path
	case p.Version == "" || strings.Contains(p.Target, "@"):
		return p.Target
	}
	return p.Target + "@" + p.Version
}

// Replay returns the command line, word by word, that runs one world again. Scenario
// files and targets built from a directory are named as they were typed: on another
// machine, or in another directory, it takes the same files at the same paths.
func (m Manifest) Replay(specVersion string, seed uint64) []string {
	return append([]string{
		"mcpsim", "replay", m.Scenario,
		"--seed", strconv.FormatUint(seed, 10),
		"--spec-version", specVersion,
		"--client", m.Typed(m.Client),
		"--server", m.Typed(m.Server),
	}, m.ReplayFlags...)
}

// ShellLine joins words into a line that a POSIX shell splits into the same
// words.
func ShellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellQuote(w)
	}
	return strings.Join(quoted, " ")
}

func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:@%+=,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// unfinished reports why the run is not whole; empty for a complete one.
func (m Manifest) unfinished() string {
	switch m.State {
	case Complete:
		return ""
	case Running:
		return "the process ended without finishing the run"
	}
	if m.Reason == "" { // or a state that this version does not know
		return "the run was cut short"
	}
	return m.Reason
}
