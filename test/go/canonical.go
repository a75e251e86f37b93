package main

import (
	"fmt"
	"strings"
)

// canonical is the RFC 8785 text of an extra: members sorted, no white space, as few escapes as there can be.
func (x extra) canonical() string {
	if x.Thought == nil {
		return fmt.Sprintf(`{"record":%s}`, quote(x.Record))
	}
	t := x.Thought
	var path []string
	for _, digits := range t.Path {
		path = append(path, quote(&digits))
	}
	return fmt.Sprintf(`{"record":%s,"thought":{"content":%s,"index":%d,"path":[%s],"record":%s,"salt":%s}}`,
		quote(x.Record), quote(t.Content), t.Index, strings.Join(path, ","), quote(t.Record), quote(t.Salt))
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
