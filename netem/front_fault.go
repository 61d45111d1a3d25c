package netem

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The kinds of a [FrontFault].
const (
	FrontSlowPost   = "slow-post"   // the body reaches the server piece by piece, its end After later: another request overtakes it
	FrontHold       = "hold"        // the server hears of the request only After later, if the client has not given up by then
	FrontCut        = "cut"         // so many whole events get through and half of the next, then the connection breaks
	FrontDrop       = "drop"        // the connection breaks After later, whatever it carries by then
	FrontBuffer     = "buffer"      // nothing of the response is passed on before it is complete or, if that is not 0, After has passed
	FrontTimeout    = "timeout"     // the front gives up After later: 504 if no head was sent yet, otherwise the stream is cut
	FrontBadGateway = "bad-gateway" // 502, and the server never hears of it
	FrontUnanswered = "unanswered"  // nothing comes, and the server never hears of it, until the client gives up
)

// FrontFaults returns the kinds of faults, in alphabetical order.
func FrontFaults() []string {
	return []string{FrontBadGateway, FrontBuffer, FrontCut, FrontDrop, FrontHold, FrontSlowPost, FrontTimeout, FrontUnanswered}
}

// A FrontFault is what happens to one exchange at a [Front]. The zero FrontFault
// is nothing.
type FrontFault struct {
	// Kind is one of [FrontFaults], or empty for none.
	Kind string
	// After is when it happens, counted from the moment at which the front has the
	// request's head. Only the kinds that name it use it.
	After time.Duration
	// Events is how many whole events a cut lets through. What is no stream of
	// events is cut in half if this is 0, and otherwise not at all.
	Events int
}

// Validate reports every fault of f, joined, or nil.
func (f FrontFault) Validate() error {
	var errs []error
	if f.Kind != "" && !slices.Contains(FrontFaults(), f.Kind) {
		return fmt.Errorf("unknown kind %q: it must be %s", f.Kind, strings.Join(FrontFaults(), ", "))
	}
	untimed := []string{"", FrontBadGateway, FrontCut, FrontUnanswered}
	switch {
	case f.After < 0 || f.After > MaxDelay:
		errs = append(errs, fmt.Errorf("after: %v is not from 0s to %v", f.After, MaxDelay))
	case f.After > 0 && slices.Contains(untimed, f.Kind):
		errs = append(errs, fmt.Errorf("%s: after %v has no meaning here", cmp.Or(f.Kind, "no fault"), f.After))
	}
	switch {
	case f.Events < 0:
		errs = append(errs, fmt.Errorf("events: %d is negative", f.Events))
	case f.Events > 0 && f.Kind != FrontCut:
		errs = append(errs, fmt.Errorf("%s: events %d has no meaning here", cmp.Or(f.Kind, "no fault"), f.Events))
	}
	return errors.Join(errs...)
}
