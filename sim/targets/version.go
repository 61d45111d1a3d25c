package targets

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// linked returns the version of a module in this binary, marked where go.mod
// puts other code in its place. A test binary holds no such list; its source's
// go.mod says what it was built with. It is empty where neither is to be had.
func linked(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok && len(info.Deps) > 0 {
		for _, dep := range info.Deps {
			if dep.Path == module && dep.Replace != nil {
				return dep.Version + "+replaced"
			}
			if dep.Path == module {
				return dep.Version
			}
		}
	}
	return required(module)
}

// required reads the version from the go.mod of the source that this was
// compiled from.
func required(module string) string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return ""
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "go.mod"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == module {
			return fields[1]
		}
	}
	return ""
}
