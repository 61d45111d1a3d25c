package analysis

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var later = time.Date(2026, 11, 30, 6, 1, 0, 0, time.UTC)

func newRun(t *testing.T) *ResultDir {
	t.Helper()
	d, err := CreateRun(t.TempDir(), testManifest(modern))
	require.NoError(t, err)
	return d
}

// fill adds worlds in a shuffled order and the histories that they ask for.
func fill(t *testing.T, d *ResultDir, n, shuffle uint64) Summary {
	t.Helper()
	a := NewAggregate(testPair)
	for _, i := range rand.New(rand.NewPCG(shuffle, 0)).Perm(int(n)) {
		f := answers
		if i%2 == 1 {
			f = silent
		}
		w := synth(ArmTarget, modern, uint64(i), f)
		require.NoError(t, a.Add(w))
		require.NoError(t, d.Add(w))
		if d.Wants(w) {
			require.NoError(t, d.KeepHistory(HistoryKey{modern, w.Seed}, []byte("history\n")))
		}
	}
	return a.Summary()
}

func TestResultRoundTrip(t *testing.T) {
	d := newRun(t)
	s := fill(t, d, 300, 1)
	assert.Empty(t, d.Missing())
	require.NoError(t, d.WriteScenario([]byte("name: cancel-storm\n")))
	require.NoError(t, d.WriteSummary(s))
	require.NoError(t, d.WritePage("F1", "# page\n"))
	require.NoError(t, d.Finish("", later))
	require.NoError(t, d.Err())

	r, err := Open(filepath.Join(filepath.Dir(d.Path()), LatestName))
	require.NoError(t, err)
	assert.Equal(t, Complete, r.Manifest.State)
	assert.Empty(t, r.Partial())
	assert.Equal(t, later, r.Manifest.Finished)
	back, err := r.Summary()
	require.NoError(t, err)
	assert.Equal(t, s, back)
	page, err := r.Page("F1")
	require.NoError(t, err)
	assert.Equal(t, "# page\n", page)
	scenario, err := r.Scenario()
	require.NoError(t, err)
	assert.Equal(t, "name: cancel-storm\n", string(scenario))
	for _, seed := range s.Findings[0].Seeds {
		encoded, kept, err := r.History(HistoryKey{modern, seed})
		require.NoError(t, err)
		assert.True(t, kept, "seed %d of F1", seed)
		assert.Equal(t, "history\n", string(encoded))
	}
	line, found, err := r.World(ArmTarget, HistoryKey{modern, 17})
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, lineOf(synth(ArmTarget, modern, 17, silent)), line)
	_, found, err = r.World(ArmTarget, HistoryKey{modern, 300})
	require.NoError(t, err)
	assert.False(t, found)
	assert.Empty(t, leftovers(t, d.Path()), "no temporary files")
}

func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for _, name := range listing(t, dir) {
		if strings.HasSuffix(name, tempSuffix) || strings.HasSuffix(name, ".part") {
			out = append(out, name)
		}
	}
	return out
}

func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	}))
	return out
}

// Whatever the order in which worlds end, the directory is the same.
func TestResultDoesNotDependOnOrder(t *testing.T) {
	content := func(shuffle uint64) map[string]string {
		d := newRun(t)
		require.NoError(t, d.WriteSummary(fill(t, d, 300, shuffle)))
		require.NoError(t, d.Finish("", later))
		files := map[string]string{}
		for _, name := range listing(t, d.Path()) {
			data, err := os.ReadFile(d.File(name))
			require.NoError(t, err)
			files[name] = string(data)
		}
		return files
	}
	first := content(1)
	assert.Equal(t, first, content(2))
	histories := 0
	for name := range first {
		histories += btoi(strings.HasPrefix(name, HistoriesDir+"/"))
	}
	assert.GreaterOrEqual(t, histories, KeptSeeds+SampledSeeds)
	assert.LessOrEqual(t, histories, KeptSeeds+SampledSeeds+1, "the example may be one more")
}

func TestRetention(t *testing.T) {
	var r Retention
	for _, seed := range rand.New(rand.NewPCG(3, 3)).Perm(1000) {
		r.Offer(synth(ArmTarget, modern, uint64(seed), answers))
		keep, _ := r.Offer(synth(ArmReference, modern, uint64(seed), silent))
		require.False(t, keep, "only the pair under test")
	}
	f := synthSummary(answers, 1000, modern).Findings[0]
	for _, seed := range append(f.Seeds, f.ExampleSeed) {
		assert.True(t, r.Wants(HistoryKey{modern, seed}), "seed %d", seed)
	}
	assert.False(t, r.Wants(HistoryKey{legacy, f.ExampleSeed}))
	assert.LessOrEqual(t, len(r.Wanted()), KeptSeeds+SampledSeeds+1)
}

func TestADeadProcessLeavesAReadableResult(t *testing.T) {
	d := newRun(t)
	fill(t, d, 2*flushEvery+10, 1) // and no Finish
	r, err := Open(d.Path())
	require.NoError(t, err)
	assert.Equal(t, Partial, r.Manifest.State)
	assert.Equal(t, "the process ended without finishing the run", r.Partial())
	n := 0
	require.NoError(t, r.EachWorld(func(WorldLine) error { n++; return nil }))
	assert.GreaterOrEqual(t, n, 2*flushEvery, "what was flushed is there")
	_, err = r.Summary()
	assert.ErrorContains(t, err, "since the run is not whole")
	assert.ErrorContains(t, err, "run it again: mcpsim run cancel-storm --seeds 0-499")
}

func TestInterrupted(t *testing.T) {
	d := newRun(t)
	fill(t, d, 10, 1)
	require.NoError(t, d.Finish("interrupted", later))
	r, err := Open(d.Path())
	require.NoError(t, err)
	assert.Equal(t, Partial, r.Manifest.State)
	assert.Equal(t, "interrupted", r.Partial())
}

func TestCreateAtRefuses(t *testing.T) {
	m := testManifest(modern)
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	require.NoError(t, os.Mkdir(at("empty"), 0o777))
	require.NoError(t, os.Mkdir(at("mine"), 0o777))
	require.NoError(t, os.WriteFile(at("mine/thesis.txt"), []byte("x"), 0o666))
	require.NoError(t, os.WriteFile(at("file"), []byte("x"), 0o666))

	_, err := CreateAt(at("new/deep"), m)
	require.NoError(t, err)
	_, err = CreateAt(at("empty"), m)
	require.NoError(t, err)
	_, err = CreateAt(at("empty"), m)
	assert.ErrorContains(t, err, "earlier run")
	assert.ErrorContains(t, err, "--out")
	_, err = CreateAt(at("mine"), m)
	assert.ErrorContains(t, err, "no result of mcpsim")
	_, err = CreateAt(at("file"), m)
	assert.ErrorContains(t, err, "it is a file")
	_, err = CreateAt(at("file/below"), m)
	assert.ErrorContains(t, err, "a part of the path is a file")
	assert.Equal(t, []string{"thesis.txt"}, listing(t, at("mine")), "nothing was touched")
}

func TestRunsOfOneSecond(t *testing.T) {
	root := t.TempDir()
	m := testManifest(modern)
	m.Scenario = "some/dir/my storm.yaml"
	first, err := CreateRun(root, m)
	require.NoError(t, err)
	second, err := CreateRun(root, m)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(root, "my storm", "20261130T060000Z"), first.Path())
	assert.Equal(t, first.Path()+"-2", second.Path())
	r, err := Open(filepath.Join(root, "my storm", LatestName))
	require.NoError(t, err)
	same(t, second.Path(), r.Path)
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.Stat(a)
	require.NoError(t, err)
	y, err := os.Stat(b)
	require.NoError(t, err)
	assert.True(t, os.SameFile(x, y), "%s and %s", a, b)
}

// Some file systems have no symbolic links.
func TestLatestAsAFile(t *testing.T) {
	d := newRun(t)
	link := filepath.Join(filepath.Dir(d.Path()), LatestName)
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.WriteFile(link, []byte(filepath.Base(d.Path())+"\n"), 0o666))
	r, err := Open(link)
	require.NoError(t, err)
	same(t, d.Path(), r.Path)
	require.NoError(t, os.WriteFile(link, []byte("../../elsewhere\n"), 0o666))
	_, err = Open(link)
	assert.ErrorContains(t, err, "should name a run beside it")
}

// A disk with room for so many bytes; then each write errs as a full one does.
type disk struct{ room int }

func (d *disk) create(path string) (io.WriteCloser, error) {
	f, err := os.Create(path)
	return &fullFile{f, d}, err
}

type fullFile struct {
	*os.File
	disk *disk
}

func (f *fullFile) Write(p []byte) (int, error) {
	n := min(len(p), f.disk.room)
	f.disk.room -= n
	if n < len(p) {
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return f.File.Write(p)
}

func TestFullDisk(t *testing.T) {
	for room := 0; room < 200_000; room = room*2 + 1500 {
		path := t.TempDir()
		full := &disk{room: room}
		d, err := start(path, testManifest(modern), full.create)
		if err == nil {
			err = writeAll(d)
			manifest, none := os.ReadFile(d.File(ManifestFile))
			require.NoError(t, none)
			assert.NotContains(t, string(manifest), `"running"`, "room for %d bytes", room)
			assert.Equal(t, err != nil, d.Err() != nil, "the first error is remembered")
		}
		if err != nil {
			assert.ErrorContains(t, err, "no space left on device")
			assert.ErrorContains(t, err, "free some space")
			assert.ErrorContains(t, err, path)
		}
		checkWhole(t, path, room, err == nil)
	}
}

func writeAll(d *ResultDir) error {
	a := NewAggregate(testPair)
	var errs []error
	for seed := range uint64(600) {
		w := synth(ArmTarget, modern, seed, answers)
		mustAdd(a, w)
		errs = append(errs, d.Add(w))
		if d.Wants(w) {
			errs = append(errs, d.KeepHistory(HistoryKey{modern, seed}, []byte(strings.Repeat("event\n", 100))))
		}
	}
	return errors.Join(append(errs, d.WriteSummary(a.Summary()), d.Finish("", later))...)
}

// checkWhole opens what a full disk left: each file is whole or absent, and
// the result says that it is partial.
func checkWhole(t *testing.T, path string, room int, complete bool) {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		assert.ErrorContains(t, err, "has no manifest.json", "room for %d bytes", room)
		return
	}
	assert.Equal(t, complete, r.Manifest.State == Complete, "room for %d bytes", room)
	for _, name := range listing(t, path) {
		if strings.HasSuffix(name, ".json") {
			data, err := os.ReadFile(filepath.Join(path, name))
			require.NoError(t, err)
			assert.True(t, json.Valid(data), "%s, room for %d bytes", name, room)
		}
		assert.NotContains(t, name, tempSuffix, "room for %d bytes", room)
	}
	for seed := range uint64(600) {
		_, _, err := r.History(HistoryKey{modern, seed})
		assert.NoError(t, err)
	}
}

func TestDamage(t *testing.T) {
	cut := func(t *testing.T, file string) {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(file, info.Size()-7))
	}
	replace := func(text string) func(*testing.T, string) {
		return func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o666)) }
	}
	remove := func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }
	tests := []struct {
		file   string
		damage func(*testing.T, string)
		want   string
	}{
		{ManifestFile, remove, "it has no manifest.json, so it is no result directory"},
		{ManifestFile, cut, "not JSON from byte"},
		{ManifestFile, replace(`{"schema":9}`), "it is written in form 9 and this mcpsim reads form 1"},
		{ManifestFile, replace(`[]`), "the result is damaged"},
		{SummaryFile, remove, "no such file or directory; the result is damaged: run it again: mcpsim run cancel-storm"},
		{SummaryFile, cut, "not JSON from byte"},
		{SummaryFile, replace(`{"schema":1,"groups":7}`), "the result is damaged"},
		{SummaryFile, replace(`{}`), "it is written in form 0"},
		{WorldsFile, cut, "the result is damaged"},
		{WorldsFile, remove, "no such file or directory"},
		{WorldsFile, replace("not zstd"), "the result is damaged"},
		{"histories/2026-07-28/1.ndjson.zst", cut, "the result is damaged"},
		{"histories/2026-07-28/1.ndjson.zst", replace("x"), "the result is damaged"},
	}
	for _, tt := range tests {
		d := newRun(t)
		require.NoError(t, d.WriteSummary(fill(t, d, 20, 1)))
		require.NoError(t, d.Finish("", later))
		require.NoError(t, readAll(d.Path()))
		tt.damage(t, d.File(tt.file))
		err := readAll(d.Path())
		assert.ErrorContains(t, err, tt.want, tt.file)
		assert.ErrorContains(t, err, filepath.Base(tt.file), "the file is named")
	}
	_, err := Open(filepath.Join(t.TempDir(), "nothing"))
	assert.ErrorContains(t, err, "there is no such directory; mcpsim run makes one")
}

func readAll(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	_, summary := r.Summary()
	_, _, history := r.History(HistoryKey{modern, 1})
	return errors.Join(summary, history, r.EachWorld(func(WorldLine) error { return nil }))
}

func TestEachWorldStops(t *testing.T) {
	d := newRun(t)
	fill(t, d, 20, 1)
	require.NoError(t, d.Finish("", later))
	r, err := Open(d.Path())
	require.NoError(t, err)
	enough := errors.New("enough")
	assert.Equal(t, enough, r.EachWorld(func(WorldLine) error { return enough }))
}
