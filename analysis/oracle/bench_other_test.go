//go:build !unix

package oracle

import "time"

// processorTime is not known here.
func processorTime() time.Duration { return 0 }
