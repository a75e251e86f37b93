package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"golang.org/x/mod/sumdb/tlog"
)

// said is what the check of a call reads in a record.
type said struct {
	Kind, Log, Call, State, Definition string
	Seq                                int64
	SequenceNo                         int64  `json:"sequence_no"`
	ApprovalID                         string `json:"approval_id"`
	Route                              struct {
		Attempts []struct{ Approval string }
	}
}

func (c *call) check() error {
	if c == nil {
		return nil
	}
	if c.Records == nil {
		return errForm
	}
	for _, one := range c.Records {
		if one.Record == nil || one.Index < 0 || one.Index > maxSafe || one.Path == nil {
			return errForm
		}
		if _, err := hashesOf(one.Path); err != nil {
			return err
		}
	}
	return nil
}

// checkCall says whether the intent and the approvals of a call are in the same tree as its outcome, and belong to it.
func checkCall(outcomeText string, c *call, tree tlog.Tree) error {
	var outcome said
	if err := json.Unmarshal([]byte(outcomeText), &outcome); err != nil || outcome.Kind != "call.exit" {
		return errors.New("the record is no outcome")
	}
	used := map[string]bool{}
	for _, attempt := range outcome.Route.Attempts {
		if attempt.Approval != "" {
			used[attempt.Approval] = false
		}
	}
	for i, one := range c.Records {
		var record said
		if err := json.Unmarshal([]byte(*one.Record), &record); err != nil {
			return err
		}
		path, err := hashesOf(one.Path)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(path, tree.N, tree.Hash, one.Index, tlog.RecordHash([]byte(*one.Record))); err != nil {
			return err
		}
		if record.Seq != one.Index || record.Log != outcome.Log {
			return errors.New("a record of another place")
		}
		if i == 0 {
			if record.Kind != "call.enter" || record.Call != outcome.Call || record.Seq != outcome.SequenceNo {
				return errors.New("the first is not the intent of the call")
			}
			if c.Definition != nil {
				sum := sha256.Sum256([]byte(*c.Definition))
				if hex.EncodeToString(sum[:]) != record.Definition {
					return errors.New("another definition")
				}
			}
			continue
		}
		if _, ok := used[record.ApprovalID]; !ok || record.Kind != "approval" {
			return errors.New("an approval that the call did not use")
		}
		if record.State == "used" && record.Call == outcome.Call {
			used[record.ApprovalID] = true
		}
	}
	if len(c.Records) == 0 {
		return errors.New("no intent")
	}
	for _, ok := range used {
		if !ok {
			return errors.New("an approval whose use is missing")
		}
	}
	return nil
}
