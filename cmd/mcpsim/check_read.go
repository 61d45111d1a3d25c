package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// historyFiles puts files in the place of directories.
func historyFiles(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == stdinName:
			out = append(out, arg)
		case err != nil:
			return nil, fmt.Errorf("read the history: %w", err)
		case !info.IsDir():
			out = append(out, arg)
		default:
			below, err := historiesBelow(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, below...)
		}
	}
	return out, nil
}

func historiesBelow(dir string) ([]string, error) {
	var out []string
	root, err := filepath.EvalSymlinks(dir) // latest is one
	if err != nil {
		return nil, fmt.Errorf("look for histories: %w", err)
	}
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".ndjson") || strings.HasSuffix(path, ".ndjson.zst")) &&
			filepath.Base(path) != analysis.WorldsFile {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for histories: %w", err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no history in %s; a result directory has them in %s/", dir, analysis.HistoriesDir)
	}
	return out, nil
}

// What a history may cost, in bytes. It is never held whole.
const (
	maxUnpacked = int64(1) << 36 // of text, so that a small compressed file does not go on for ever
	maxWindow   = 64 << 20       // of what the decompressor remembers
)

// read judges one history as it reads it, compressed or not: its first bytes tell.
func (c *checkCommand) read(name string, given map[string]time.Duration) (history.Header, analysis.World, error) {
	var in io.Reader = c.stdin
	if name != stdinName {
		file, err := os.Open(name)
		if err != nil {
			return history.Header{}, analysis.World{}, err
		}
		defer file.Close() // only read
		in = file
	}
	buffered := bufio.NewReader(in)
	if magic, err := buffered.Peek(4); err != nil || !bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return observe(&bounded{buffered, maxUnpacked}, given) // of what is too short, it says so
	}
	unzip, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return history.Header{}, analysis.World{}, err
	}
	defer unzip.Close()
	return observe(&bounded{unzip, maxUnpacked}, given)
}

// observe judges a history that it reads from r, by the budgets that are given.
func observe(r io.Reader, given map[string]time.Duration) (history.Header, analysis.World, error) {
	d, err := history.NewDecoder(r)
	if err != nil {
		return history.Header{}, analysis.World{}, err
	}
	h := d.Header()
	if !slices.Contains(protocol.Versions(), h.SpecVersion) {
		return h, analysis.World{}, fmt.Errorf("its header names the protocol version %q, of which there is none; the file was changed", h.SpecVersion)
	}
	h.Budgets = over(h.Budgets, given)
	o := analysis.NewObserver(analysis.ArmTarget, h)
	for {
		e, err := d.Next()
		o.Calls(d.Calls())
		if errors.Is(err, io.EOF) {
			return h, o.World(d.Digest()), nil
		}
		if err != nil {
			return h, analysis.World{}, err
		}
		o.Event(&e)
	}
}

// bounded passes left bytes on and then errs; io.LimitReader would end, as if the
// history were cut off.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("it is larger than %d bytes, as no history is", maxUnpacked)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
