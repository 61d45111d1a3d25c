package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// workerDir is the place in the user's cache for the workers of one source tree,
// one toolchain and one recipe. Other commits of one directory share the place.
func workerDir(tools toolchain, source string, recipe Recipe) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &SetupError{"no cache directory for the worker: " + err.Error(), "set HOME or XDG_CACHE_HOME to a directory that can be written"}
	}
	parts := []string{source, tools.goroot, tools.version, runtime.GOARCH}
	for _, m := range recipe.Modules {
		parts = append(parts, m.Path, m.Version, m.Dir)
	}
	for _, p := range recipe.Packages {
		parts = append(parts, p.Player, p.Import, p.Dir)
	}
	key := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	dir := filepath.Join(cache, "mcpsim", fmt.Sprintf("worker-%x", key[:8]))
	if err := errors.Join(os.MkdirAll(dir, 0o755), touch(dir)); err != nil {
		return "", &SetupError{"the worker's directory cannot be made: " + err.Error(), "set XDG_CACHE_HOME to a directory that can be written"}
	}
	return dir, nil
}

// touch says that something is in use, which keeps prune from it.
func touch(path string) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

// keep gives a worker a name in dir by its content, so that a run goes on with the
// worker that it began with while another program builds a newer one. built is the
// caller's own, in which nobody else writes.
func keep(built, dir string) (path, sum string, err error) {
	if sum, err = sumOf(built); err != nil {
		return "", "", fmt.Errorf("keep the worker: %w", err)
	}
	path = filepath.Join(dir, "worker-"+sum)
	if err := os.Link(built, path); err != nil && !errors.Is(err, os.ErrExist) {
		return "", "", fmt.Errorf("keep the worker: %w", err)
	}
	return path, sum, touch(path)
}

// sumOf is 16 hex digits of a file's sha256.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return fmt.Sprintf("%x", hash.Sum(nil)[:8]), errors.Join(err, f.Close())
}

const (
	workerAge = 30 * 24 * time.Hour
	// scrapAge is for what only a build that is under way has a use for.
	scrapAge = 24 * time.Hour
)

// prune removes what nobody has used for long: workers of this place, what killed
// builds have left in it, and the places of other recipes, toolchains and sources.
func (b *build) prune(now time.Time) error {
	err := removeOld(b.dir, func(name string, unused time.Time) bool {
		scrap := strings.HasPrefix(name, ".")
		worker := strings.HasPrefix(name, "worker-") && name != filepath.Base(b.kept)
		return scrap && now.Sub(unused) > scrapAge || worker && now.Sub(unused) > workerAge
	})
	return errors.Join(err, removeOld(filepath.Dir(b.dir), func(name string, unused time.Time) bool {
		return strings.HasPrefix(name, "worker-") && name != filepath.Base(b.dir) && now.Sub(unused) > workerAge
	}))
}

// removeOld takes away what is old in a directory, given each entry's name and the time
// since which it was not used. Other programs may do the same at the same time.
func removeOld(dir string, old func(name string, unused time.Time) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for old workers: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && old(e.Name(), info.ModTime()) {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
		if err != nil {
			return fmt.Errorf("remove an old worker: %w", err)
		}
	}
	return nil
}

// copyToTemp copies a file, if there is one, to a new one in dir. Of what it cannot
// copy nothing is left.
func copyToTemp(path, dir string) (string, error) {
	tmp, err := os.CreateTemp(dir, ".worker-*")
	if err != nil {
		return "", err
	}
	err = errors.Join(copyInto(tmp, path), tmp.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(tmp.Name()))
	}
	return tmp.Name(), nil
}

func copyInto(tmp *os.File, path string) error {
	old, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(tmp, old)
	return errors.Join(err, old.Close(), tmp.Chmod(0o755))
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
