package main

import (
	"fmt"
	"strings"
)

// canonical is the RFC 8785 text of an extra: members sorted, no white space, as few escapes as there can be.
func (x extra) canonical() string {
	members := []string{}
	if c := x.Call; c != nil {
		var records []string
		for _, one := range c.Records {
			records = append(records, fmt.Sprintf(`{"index":%d,"path":[%s],"record":%s}`, one.Index, list(one.Path), quote(one.Record)))
		}
		members = append(members, fmt.Sprintf(`"call":{"definition":%s,"records":[%s]}`, quote(c.Definition), strings.Join(records, ",")))
	}
	members = append(members, fmt.Sprintf(`"record":%s`, quote(x.Record)))
	if t := x.Thought; t != nil {
		members = append(members, fmt.Sprintf(`"thought":{"content":%s,"index":%d,"path":[%s],"record":%s,"salt":%s}`,
			quote(t.Content), t.Index, list(t.Path), quote(t.Record), quote(t.Salt)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func list(all []string) string {
	var quoted []string
	for _, one := range all {
		quoted = append(quoted, quote(&one))
	}
	return strings.Join(quoted, ",")
}

var short = map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}

// quote writes a string as RFC 8785 §3.2.2.2 does. encoding/json escapes more than that.
func quote(s *string) string {
	if s == nil {
		return "null"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range *s {
		if escape, ok := short[r]; ok {
			b.WriteString(escape)
		} else if r < 0x20 {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
