package oracle

import (
	"math"
	"strconv"
	"strings"
)

// isID reports whether raw can stand as an id: a string or a whole number, however
// that is written.
func isID(raw string) bool {
	if plain(raw) {
		return true
	}
	if raw == "" || !numeric(raw) {
		return false
	}
	v, err := strconv.ParseFloat(raw, 64)
	return err == nil && v == math.Trunc(v)
}

// plain reports whether raw is an id that its echo equals: a string, or a whole number
// without a fraction and an exponent. 7.0 comes back as 7.
func plain(raw string) bool {
	return raw != "" && (raw[0] == '"' || numeric(raw) && !strings.ContainsAny(raw, ".eE"))
}

func numeric(id string) bool { return id[0] == '-' || id[0] >= '0' && id[0] <= '9' }

// maxUlp bounds how far apart two whole numbers are looked for that are one 64-bit
// float.
const maxUlp = 4

// lookalikes calls yield with the ids that careless code takes for id, which may be
// what a cancel names although it can be nobody's: its twin of the other JSON type,
// its neighbours that are the same as a 64-bit float, and, for what is false in a
// loosely typed language, the other things that are.
func lookalikes(id string, yield func(string)) {
	switch {
	case id == "" || id == nullID || id == "false" || id == `""`:
		for _, other := range [...]string{"0", `"0"`, `""`, nullID} {
			if other != id {
				yield(other)
			}
		}
	case id == "true":
		yield("1")
		yield(`"1"`)
	case id[0] == '"':
		if digits := strings.Trim(id, `"`); digits != "" && numeric(digits) {
			yield(digits)
		}
	case numeric(id):
		yield(`"` + id + `"`)
		if id == "0" {
			yield(`""`)
		}
		neighbours(id, yield)
	}
}

// likeness says what a cancel named that was taken for the id of a request.
func likeness(id, named string) string {
	switch {
	case !isID(named):
		return "no id"
	case (id[0] == '"') != (named[0] == '"'):
		return "the same digits as the other JSON type"
	case id[0] != '"' && named[0] != '"':
		return "another number that is the same as a 64-bit float"
	}
	return "another id"
}

// neighbours calls yield with the other whole numbers that are the same float.
func neighbours(id string, yield func(string)) {
	if len(id) < len("9007199254740992") { // 2^53
		return
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return
	}
	for d := int64(-maxUlp); d <= maxUlp; d++ {
		if d != 0 && float64(n+d) == float64(n) {
			yield(strconv.FormatInt(n+d, 10))
		}
	}
}
