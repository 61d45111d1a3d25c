package main

import (
	"strings"
	"unicode/utf8"
)

// columns is how wide what is printed may be.
const columns = 100

// wrapped puts text behind a head, which may be blanks, and breaks it between words;
// the lines after the first begin as far in as the text does. A word that is too
// long for a line gets one of its own.
func wrapped(head, text string) string {
	margin := strings.Repeat(" ", utf8.RuneCountInString(head))
	var lines []string
	line := head
	for _, word := range strings.Fields(text) {
		if n := utf8.RuneCountInString(line); n+1+utf8.RuneCountInString(word) > columns && n > len(margin) {
			lines, line = append(lines, line), margin
		}
		if utf8.RuneCountInString(line) > len(margin) {
			line += " "
		}
		line += word
	}
	return strings.TrimRight(strings.Join(append(lines, line), "\n"), " ") + "\n"
}

// padded makes a cell of at least n columns.
func padded(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text)))
}
