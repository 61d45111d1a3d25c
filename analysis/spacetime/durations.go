package spacetime

import (
	"strconv"
	"strings"
	"time"
)

// millis is a time as the listing's first column has it.
func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/1e6, 'f', 3, 64)
}

// exact is a duration to the microsecond, or to the nanosecond below one.
func exact(d time.Duration) string {
	if d < time.Microsecond && d > -time.Microsecond {
		return strconv.FormatInt(int64(d), 10) + " ns"
	}
	return millis(d) + " ms"
}

// short is a duration to three digits, at most seven columns wide up to an
// hour.
func short(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, " s"}, {time.Millisecond, " ms"}, {time.Microsecond, " µs"}} {
		if d >= u.unit {
			return digits(float64(d)/float64(u.unit)) + u.name
		}
	}
	if d == 0 {
		return "0 s"
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

// digits writes v, at least 1, with three significant digits and no trailing
// zeros.
func digits(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	prec := 2
	if v >= 10 {
		prec = 1
	}
	s := strconv.FormatFloat(v, 'f', prec, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
