package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Over HTTP a response comes in the exchange of the request that it is for, whatever its
// id says: where that is almost the id of this request, and another's, one act is done, and
// one rule broken.
func TestResponsesUnderAnothersID(t *testing.T) {
	var cases []webCase
	for _, ids := range [][2]string{{"9007199254740993", "9007199254740992"}, {"7", `"7"`}} {
		cases = append(cases, webCase{
			rule: "RESP-SAME-ID", why: "each its own: " + ids[0], want: Pass, script: lookalike(ids, ids[0]),
		}, webCase{
			rule: "RESP-SAME-ID", why: "one under the other's: " + ids[0], want: Fail, fails: "RESP-SAME-ID", side: history.Server, script: lookalike(ids, ids[1]),
		})
	}
	runWeb(t, append(cases, webCase{
		rule: "RESP-SAME-ID", why: "an id that does not resemble its own", want: Pass, fails: "RESP-ONCE HTTP-STREAM-RELATED",
		script: lookalike([2]string{"8", "9"}, "9"),
	}))
}

// lookalike is two requests with those ids, of which the first is answered under the id
// named.
func lookalike(ids [2]string, named string) webScript {
	ask := func(id string) string { return fmt.Sprintf(`{"id":%s,"method":"tools/list"}`, id) }
	answer := func(id string) string { return fmt.Sprintf(`{"id":%s,"result":{"tools":[]}}`, id) }
	return legacyWeb(strings.NewReplacer("ASK1", ask(ids[0]), "ASK2", ask(ids[1]), "ANSWER1", answer(named), "ANSWER2", answer(ids[1])).Replace(`
		5 client > ASK1; > ASK2
		6 server < ASK1; < ASK2; > ANSWER2 on ASK2
		7 client < ANSWER2 on ASK2
		8 server > ANSWER1 on ASK1
		9 client < ANSWER1 on ASK1
	`) + webRunning + webAnswered)
}
