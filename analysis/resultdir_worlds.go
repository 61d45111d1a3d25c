package analysis

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A WorldLine is one line of worlds.ndjson.zst: what a replay compares with.
type WorldLine struct {
	Arm         Arm      `json:"arm"`
	SpecVersion string   `json:"spec_version"`
	Seed        uint64   `json:"seed"`
	Digest      string   `json:"digest"`
	Events      int      `json:"events"`
	Failed      []string `json:"failed,omitempty"` // rules that were broken, the implied ones too
}

func lineOf(w World) WorldLine {
	line := WorldLine{Arm: w.Arm, SpecVersion: w.SpecVersion, Seed: w.Seed, Digest: w.Digest, Events: w.Events}
	for _, v := range w.Judgement.Verdicts {
		if v.Status == oracle.Fail {
			line.Failed = append(line.Failed, v.Rule)
		}
	}
	return line
}

func compareLines(a, b WorldLine) int {
	return cmp.Or(
		cmp.Compare(a.Arm.rank(), b.Arm.rank()),
		strings.Compare(string(a.Arm), string(b.Arm)),
		strings.Compare(a.SpecVersion, b.SpecVersion),
		cmp.Compare(a.Seed, b.Seed),
	)
}

// flushEvery is after how many worlds what was written can be read back, should
// the process die.
const flushEvery = 256

// maxSorted is how many worlds are put in order at the end. The lines of a larger
// run stay in the order in which its worlds ended, rather than fill the memory.
const maxSorted = 1_000_000

// worldsWriter appends lines as worlds end, in whatever order, to a file that
// finish replaces by the same lines in order.
type worldsWriter struct {
	part   string
	create func(string) (io.WriteCloser, error)
	file   io.WriteCloser
	zip    *zstd.Encoder
	lines  int
	err    error // the first; nothing is written after it
}

func newWorldsWriter(part string, create func(string) (io.WriteCloser, error)) (*worldsWriter, error) {
	file, err := create(part)
	if err != nil {
		return nil, writeError(part, err)
	}
	zip, err := newZip(file)
	if err != nil {
		return nil, errors.Join(writeError(part, err), file.Close())
	}
	return &worldsWriter{part: part, create: create, file: file, zip: zip}, nil
}

// newZip returns an encoder without goroutines of its own.
func newZip(w io.Writer) (*zstd.Encoder, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
}

func (w *worldsWriter) add(line WorldLine) error {
	if w.err != nil {
		return w.err
	}
	err := json.NewEncoder(w.zip).Encode(line)
	if w.lines++; err == nil && w.lines%flushEvery == 0 {
		err = w.zip.Flush()
	}
	return w.fail(err)
}

func (w *worldsWriter) fail(err error) error {
	if err != nil && w.err == nil {
		w.err = writeError(w.part, err)
	}
	return w.err
}

// finish closes the part and writes its lines in order to name. The part stays
// where it is when that does not work out.
func (w *worldsWriter) finish(name string) error {
	closing := errors.Join(w.zip.Close(), w.file.Close())
	if err := w.fail(closing); err != nil {
		return err
	}
	if w.lines > maxSorted {
		return os.Rename(w.part, name)
	}
	var lines []WorldLine
	if err := eachLine(w.part, func(l WorldLine) error { lines = append(lines, l); return nil }); err != nil {
		return err
	}
	slices.SortStableFunc(lines, compareLines)
	err := writeWhole(name, w.create, func(out io.Writer) error { return zipLines(out, lines) })
	if err != nil {
		return err
	}
	return removeIfThere(w.part)
}

func zipLines(out io.Writer, lines []WorldLine) error {
	zip, err := newZip(out)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(zip)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return errors.Join(err, zip.Close())
		}
	}
	return zip.Close()
}

// errTruncated marks a compressed file that ends before its end.
var errTruncated = errors.New("the file is cut short")

// eachLine calls f with every line of a compressed file of worlds. A file that
// is cut short yields the lines before the cut, then errTruncated.
func eachLine(name string, f func(WorldLine) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() // only read
	unzip, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer unzip.Close()
	return scanLines(bufio.NewReader(unzip), f)
}

func scanLines(r *bufio.Reader, f func(WorldLine) error) error {
	for n := 1; ; n++ {
		data, err := r.ReadBytes('\n')
		switch {
		case err == io.EOF && len(data) == 0:
			return nil
		case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%w in line %d", errTruncated, n)
		case err != nil:
			return fmt.Errorf("line %d: %w", n, err)
		}
		var line WorldLine
		if err := json.Unmarshal(data, &line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := f(line); err != nil {
			return err
		}
	}
}
