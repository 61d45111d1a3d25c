package oracle

import "testing"

// A server that refuses a request may say why in the body of the response, by an error of
// JSON-RPC that has no id. That is no message on a stream, and no answer to any request.

const refusal = `{"error":{"code":-32000,"message":"no"}}`

func webRefusalCases() []webCase {
	nulled := `{"id":null,"error":{"code":-32000,"message":"no"}}`
	getRefused := func(status, body string) string {
		return `5 client open g
			6 server status g ` + status + `; > ` + body + ` on g; finish g
			7 client status g ` + status + `; < ` + body + ` on g; finish g
			` + webRunning + webAnswered
	}
	cases := []webCase{}
	for _, status := range []string{"404", "405", "503"} {
		for _, body := range []string{refusal, nulled} {
			cases = append(cases, webCase{
				rule: "HTTP-RESP-STREAM", why: "a GET that is refused with " + status + " and " + body, want: Pass, script: legacyWeb(getRefused(status, body)),
			}, webCase{
				rule: "RESP-SAME-ID", why: "nor has that to be under an id: " + status + " and " + body, want: Pass, uncounted: whyUnreadable,
				script: legacyWeb(getRefused(status, body)),
			})
		}
	}
	return append(cases, []webCase{{
		rule: "HTTP-RESP-STREAM", why: "the same on a stream that was opened", want: Fail, fails: "HTTP-RESP-STREAM",
		script: legacyWeb(getRefused("200", refusal)),
	}, {
		rule: "RESP-SAME-ID", why: "a made-up id", want: Fail, fails: "RESP-SAME-ID",
		script: legacyWeb(getRefused("405", `{"id":"server-error","error":{"code":-32000,"message":"no"}}`)),
	}, {
		rule: "CANCEL-NO-REPLY", why: "a GET that is refused in the instant in which a cancel is read", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled; open g
			40 server < cancel 1; told 1; end 1 canceled; status g 405; > ` + refusal + ` on g; finish g
			50 client status g 405; < ` + refusal + ` on g; finish g`),
	}, {
		rule: "CANCEL-NO-REPLY", why: "the same by a stream", want: Fail, fails: "CANCEL-NO-REPLY HTTP-RESP-STREAM",
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled; open g
			40 server < cancel 1; told 1; end 1 canceled; serve g; > ` + refusal + ` on g; finish g
			50 client < ` + refusal + ` on g; finish g`),
	}, {
		rule: "CANCEL-NO-REPLY", why: "a DELETE that is refused then", want: Pass,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			1000 world quiet
			1010 client close; delete d; > cancel 1
			1011 server < cancel 1; status d 405; > ` + refusal + ` on d; finish d
			1012 client status d 405; < ` + refusal + ` on d; finish d; closed
			2000 server sessions 1; stop; served`).bareGreeted(),
	}, {
		rule: "HTTP-REPLAY-SCOPE", why: "a stream that is not resumed", want: Vacuous,
		script: legacyWeb(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1; open g after e1
			36 server status g 400; > ` + nulled + ` on g; finish g
			37 client status g 400; < ` + nulled + ` on g; finish g
			` + webAnswered),
	}, {
		rule: "HTTP-202", why: "a notification that is refused", want: Pass, uncounted: whyRefused,
		script: legacyWeb(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server status cancel 1 400; < cancel 1; > ` + refusal + ` on cancel 1; told 1; end 1 canceled
			50 client status cancel 1 400; < ` + refusal + ` on cancel 1`),
	}, {
		rule: "RESP-ONCE", why: "beside a request that has no id itself", want: Pass, uncounted: whyUnclearID,
		script: legacyWeb(`5 client > {"id":null,"method":"tools/list"}; open g
			6 server < {"id":null,"method":"tools/list"}; > {"id":null,"result":{}} on {"id":null,"method":"tools/list"}; status g 405; > ` + nulled + ` on g; finish g
			7 client < {"id":null,"result":{}} on {"id":null,"method":"tools/list"}; status g 405; < ` + nulled + ` on g; finish g
			` + webRunning + webAnswered),
		fails: "ID-NOT-NULL",
	}, {
		rule: "SESSION-SURVIVES", why: "a client that ends its session on reading one", want: Fail, side: "client", fails: "SESSION-SURVIVES",
		script: legacyWeb(getRefused("405", refusal) + `1000 world quiet
			1001 client probe; probed closed
			1010 client close; delete d
			1011 server serve d 204
			1012 client finish d; closed`).bareGreeted(),
	}}...)
}

func TestRefusals(t *testing.T) { runWeb(t, webRefusalCases()) }
