package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/mcpsim/mcpsim/sim"
)

// colorful reports whether out is a terminal whose user did not ask for no
// colours, see no-color.org.
func colorful(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(file.Fd()))
}

// utf8Locale reports whether the locale's characters are UTF-8. An empty locale
// says nothing, and is taken for one.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(os.Getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}

// oneSeed reads a seed as it is typed: a decimal number.
func oneSeed(flag, text string) (uint64, error) {
	seed, err := sim.ParseSeed(text)
	if err != nil {
		return 0, fmt.Errorf("%s %w", flag, err)
	}
	return seed, nil
}
