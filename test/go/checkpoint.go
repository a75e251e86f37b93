package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Sizes and indexes beyond this are not whole numbers to every reader of JSON.
const maxSafe = 1<<53 - 1

var errForm = errors.New("malformed")

// openCheckpoint opens a signed note and reads its tree. Go's parsers forgive (loose bits in base64, lines they do not
// know, a signature twice), so what was read is written again and must be the same bytes.
func openCheckpoint(text string, k trusted) (tlog.Tree, error) {
	n, err := note.Open([]byte(text), note.VerifierList(k.key))
	if err != nil {
		return tlog.Tree{}, err
	}
	tree, err := parseTree(n.Text, k.key.Name())
	if err != nil {
		return tlog.Tree{}, err
	}
	if len(n.UnverifiedSigs) > 0 && !k.cosignatures {
		return tlog.Tree{}, errors.New("an unknown signature")
	}
	lines := strings.SplitAfter(strings.TrimPrefix(text, n.Text+"\n"), "\n")
	known := append(append([]note.Signature{}, n.Sigs...), n.UnverifiedSigs...)
	if len(lines) != len(known)+1 { // the last is empty: what follows the last newline
		return tlog.Tree{}, errForm
	}
	for _, s := range known {
		if !contains(lines, signatureLine(s)) || strings.ContainsRune(s.Name, '\uFFFD') {
			return tlog.Tree{}, errForm
		}
	}
	return tree, nil
}

// parseTree has Go's parser read the tree: a checkpoint differs from a tree of the Go checksum database in its first line.
func parseTree(text, origin string) (tlog.Tree, error) {
	if !strings.HasPrefix(text, origin+"\n") {
		return tlog.Tree{}, errors.New("another origin")
	}
	tree, err := tlog.ParseTree([]byte("go.sum database tree\n" + strings.TrimPrefix(text, origin+"\n")))
	if err != nil {
		return tlog.Tree{}, err
	}
	if tree.N > maxSafe || text != fmt.Sprintf("%s\n%d\n%s\n", origin, tree.N, tree.Hash) {
		return tlog.Tree{}, errForm
	}
	return tree, nil
}

func signatureLine(s note.Signature) string {
	raw, _ := base64.StdEncoding.DecodeString(s.Base64) // note.Open has decoded it already
	return "— " + s.Name + " " + base64.StdEncoding.EncodeToString(raw) + "\n"
}

func contains(lines []string, line string) bool {
	for _, l := range lines {
		if l == line {
			return true
		}
	}
	return false
}

// splitHead separates the lines before the first empty line from the checkpoint after it.
func splitHead(text string) (lines []string, checkpoint string, err error) {
	at := strings.Index(text, "\n\n")
	if at < 0 {
		return nil, "", errForm
	}
	return strings.Split(text[:at], "\n"), text[at+2:], nil
}

// parseNumber reads "<word> <decimal>".
func parseNumber(line, word string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(line, word+" "), 10, 64)
	if err != nil || n < 0 || n > maxSafe || line != fmt.Sprintf("%s %d", word, n) {
		return 0, errForm
	}
	return n, nil
}

// parseHashes reads one hash a line.
func parseHashes(lines []string, most int) ([]tlog.Hash, error) {
	var hashes []tlog.Hash
	for _, line := range lines {
		h, err := tlog.ParseHash(line)
		if err != nil || h.String() != line || len(hashes) == most {
			return nil, errForm
		}
		hashes = append(hashes, h)
	}
	return hashes, nil
}
