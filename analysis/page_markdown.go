package analysis

import "strings"

// fenced puts text into a code block whose fence is longer than any in it.
func fenced(language, text string) string {
	text = strings.Trim(text, "\n")
	if text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}

// code puts a few words into a code span on one line.
func code(text string) string {
	return "`" + strings.ReplaceAll(printable(text, 200), "`", "'") + "`"
}

// ownWords puts a violation's words into running text. What a target said when it
// crashed is code, so that no character of it means anything to Markdown.
func ownWords(what string) string {
	if said, ok := strings.CutPrefix(what, "crashed: "); ok {
		return "crashed: " + code(said)
	}
	return escaped(printable(what, 200))
}

// escaped takes the meaning off the characters that Markdown would act upon.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>#|~@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
