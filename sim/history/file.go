package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// zstdSuffix is how the names of compressed files end.
const zstdSuffix = ".zst"

// maxZstdMemory bounds what a compressed file can make its reader allocate.
const maxZstdMemory = 64 << 20

// WriteFile writes a history to a file, compressed with Zstandard when its name
// ends in ".zst". The file appears under its name only when it is complete.
func WriteFile(name string, h *History) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".part-*")
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write history %s: %w", name, err), os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(writeTo(f, h, strings.HasSuffix(name, zstdSuffix)), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

func writeTo(w io.Writer, h *History, compress bool) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	if !compress {
		return errors.Join(Encode(buffered, h), buffered.Flush())
	}
	z, err := zstd.NewWriter(buffered, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(Encode(z, h), z.Close(), buffered.Flush())
}

// ReadFile reads a history from a file, compressed or not by its name. Like
// [Decode] it returns what it could read together with an error.
func ReadFile(name string) (*History, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	h, err := readFrom(f, strings.HasSuffix(name, zstdSuffix))
	if err = errors.Join(err, f.Close()); err != nil {
		return h, fmt.Errorf("read history %s: %w", name, err)
	}
	return h, nil
}

func readFrom(r io.Reader, compressed bool) (*History, error) {
	if !compressed {
		return Decode(r)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxZstdMemory))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return Decode(z)
}
