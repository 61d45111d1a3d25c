package netem

import "fmt"

// An Impossible is a fault that one ordered, reliable byte stream cannot
// produce, and why.
type Impossible struct {
	Fault string // as people write it in a scenario
	Why   string // one sentence that also says what to use instead, where there is something
}

// ImpossibleOnStream returns the faults that a byte stream cannot produce, in
// alphabetical order.
func ImpossibleOnStream() []Impossible {
	return []Impossible{
		{"corrupt", "a byte stream hands over the bytes that were written; checksums turn damage below it into delay, so use delay"},
		{"duplicate", "a byte stream hands over each byte once; let the peer write the frame twice instead"},
		{"loss", "a byte stream repeats what was lost until it arrives, so loss shows as delay; use delay, or reset to cut the stream off"},
		{"reorder", "a byte stream keeps its order; reordering exists only between the two directions, so give them different delays"},
	}
}

// CheckStream returns nil for a fault that a byte stream can produce, and for
// one that is unknown here; otherwise an error that says why it cannot.
func CheckStream(fault string) error {
	for _, impossible := range ImpossibleOnStream() {
		if impossible.Fault == fault {
			return fmt.Errorf("%s is impossible here: %s", fault, impossible.Why)
		}
	}
	return nil
}
