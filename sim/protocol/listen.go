package protocol

// AppendAcknowledged adds the notification that a subscription begins with: what
// the server agreed to tell, as the members of its "notifications", raw JSON
// without the braces.
func AppendAcknowledged(b []byte, id, agreed string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"`+Acknowledged+`","params":{`...)
	b = appendSubscription(b, id)
	b = append(b, `,"notifications":{`...)
	b = append(b, agreed...)
	return append(b, `}}}`...)
}

// AppendChanged adds a notification of a change for the subscription of that id,
// raw JSON; an empty id leaves it out, against the rules. The URI is that of the
// resource that changed, empty where it is no resource that did.
func AppendChanged(b []byte, method, id, uri string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"`...)
	b = append(b, method...)
	b = append(b, `","params":{`...)
	if id != "" {
		b = appendSubscription(b, id)
	}
	if uri != "" {
		if id != "" {
			b = append(b, ',')
		}
		b = append(b, `"uri":`...)
		b = AppendString(b, uri)
	}
	return append(b, `}}`...)
}

// AppendListened adds the response by which a server ends a subscription.
func AppendListened(b []byte, id string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"result":{"resultType":"complete",`...)
	b = appendSubscription(b, id)
	return append(b, `}}`...)
}

func appendSubscription(b []byte, id string) []byte {
	b = append(b, `"_meta":{"`+MetaSubscription+`":`...)
	b = append(b, id...)
	return append(b, '}')
}
