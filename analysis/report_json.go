package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// jsonReport is a summary with what it takes to read it alone: how the run was
// made, and what it came to.
type jsonReport struct {
	Summary
	Decision Decision `json:"decision"`
	Manifest Manifest `json:"manifest"`
	Dir      string   `json:"dir,omitempty"`
	Troubles []string `json:"troubles,omitempty"`
}

// JSON renders the report for programs: one line that holds the summary's own keys,
// as summary.json has them, and beside them decision, manifest, dir and troubles.
func JSON(r Report) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(jsonReport{r.Summary, r.Decision, r.Manifest, r.Dir, r.Troubles}); err != nil {
		return nil, fmt.Errorf("encode the report: %w", err)
	}
	return b.Bytes(), nil
}
