package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	magic         = "c2sp.org/tlog-proof@v1"
	mostInclusion = 64
)

// extra is what a proof file carries beside the proof. Nothing of it is trusted: leaves are computed from it.
type extra struct {
	Record  *string  `json:"record"`
	Thought *thought `json:"thought"`
	Call    *call    `json:"call"`
}

// call is what belongs to the outcome of a call: its intent, then the records of its approvals, in the same tree.
type call struct {
	Definition *string   `json:"definition"`
	Records    []further `json:"records"`
}

type further struct {
	Record *string  `json:"record"`
	Index  int64    `json:"index"`
	Path   []string `json:"path"`
}

// thought is the second step: from a thought to the root in the seal record.
type thought struct {
	Record  *string  `json:"record"`
	Content *string  `json:"content"`
	Salt    *string  `json:"salt"`
	Index   int64    `json:"index"`
	Path    []string `json:"path"`
}

// checkProof says whether the record of a proof file is in the log that the key signs, and the thought in its session.
func checkProof(text string, k trusted) error {
	head, checkpoint, err := splitHead(text)
	if err != nil || len(head) < 3 || head[0] != magic {
		return errForm
	}
	x, err := parseExtra(head[1])
	if err != nil {
		return err
	}
	index, err := parseNumber(head[2], "index")
	if err != nil {
		return err
	}
	path, err := parseHashes(head[3:], mostInclusion)
	if err != nil {
		return err
	}
	tree, err := openCheckpoint(checkpoint, k)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(path, tree.N, tree.Hash, index, tlog.RecordHash([]byte(*x.Record))); err != nil {
		return err
	}
	if x.Call != nil {
		if err := checkCall(*x.Record, x.Call, tree); err != nil {
			return err
		}
	}
	if x.Thought == nil {
		return nil
	}
	return checkThought(*x.Record, x.Thought)
}

// parseExtra reads the extra line. encoding/json forgives much, so the value is written again in its canonical form
// (RFC 8785) and must be the same bytes.
func parseExtra(line string) (x extra, err error) {
	encoded := strings.TrimPrefix(line, "extra ")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || line != "extra "+base64.StdEncoding.EncodeToString(text) {
		return x, errForm
	}
	if err := json.Unmarshal(text, &x); err != nil || x.Record == nil || x.canonical() != string(text) {
		return x, errForm
	}
	if err := x.Call.check(); err != nil {
		return x, err
	}
	return x, x.Thought.check()
}

func (t *thought) check() error {
	if t == nil {
		return nil
	}
	if t.Record == nil || t.Index < 0 || t.Index > maxSafe || (t.Content == nil) != (t.Salt == nil) {
		return errForm
	}
	_, err := t.hashes()
	return err
}

func (t *thought) hashes() ([]tlog.Hash, error) {
	return hashesOf(t.Path)
}

func hashesOf(digitsOf []string) ([]tlog.Hash, error) {
	var hashes []tlog.Hash
	for _, digits := range digitsOf {
		h, err := parseHex(digits)
		if err != nil || len(hashes) == mostInclusion {
			return nil, errForm
		}
		hashes = append(hashes, h)
	}
	return hashes, nil
}

func parseHex(digits string) (h tlog.Hash, err error) {
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != tlog.HashSize || hex.EncodeToString(raw) != digits {
		return h, errForm
	}
	copy(h[:], raw)
	return h, nil
}

func checkThought(sealText string, t *thought) error {
	var seal struct {
		Kind, Root  string
		RecordCount int64 `json:"record_count"`
	}
	if err := json.Unmarshal([]byte(sealText), &seal); err != nil || seal.Kind != "seal" {
		return errors.New("the record is no seal")
	}
	root, err := parseHex(seal.Root)
	if err != nil {
		return err
	}
	path, err := t.hashes()
	if err != nil {
		return err
	}
	leaf := tlog.RecordHash([]byte(*t.Record))
	if err := tlog.CheckRecord(path, seal.RecordCount, root, t.Index, leaf); err != nil {
		return fmt.Errorf("the thought: %v", err)
	}
	if t.Content == nil {
		return nil // erased: the digest alone remains
	}
	return checkContent(t)
}

func checkContent(t *thought) error {
	var said struct {
		Digest string `json:"content_digest"`
	}
	salt, err := hex.DecodeString(*t.Salt)
	if err != nil || len(salt) != 16 || hex.EncodeToString(salt) != *t.Salt {
		return errors.New("no salt")
	}
	if err := json.Unmarshal([]byte(*t.Record), &said); err != nil {
		return err
	}
	sum := sha256.Sum256(append(salt, *t.Content...))
	if hex.EncodeToString(sum[:]) != said.Digest {
		return errors.New("another content")
	}
	return nil
}
