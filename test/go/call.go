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
	Server, Tool, Instance             string
	ArgsDigest                         string `json:"args_digest"`
	ExpiresAt                          string `json:"expires_at"`
	Via, By                            *string
	Claimed                            bool
	Route                              struct {
		Attempts []struct{ Approval, Server, Tool string }
	}
}

// about is what all records of one approval have alike.
func (s said) about() [6]string {
	return [6]string{s.Server, s.Tool, s.Instance, s.ArgsDigest, s.ExpiresAt, s.Definition}
}

func same(a, b *string) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// checkApproval says whether the records are those of one approval that was asked for, granted and used by the call of
// the outcome. The answer may be in the log of another machine.
func checkApproval(records []said, outcome said) error {
	asked, used := records[0], records[len(records)-1]
	states := ""
	last := int64(-1)
	for _, one := range records {
		states += one.State + " "
		if one.Seq <= last || one.Seq >= outcome.Seq || one.about() != asked.about() {
			return errors.New("records of an approval that do not fit each other")
		}
		last = one.Seq
	}
	if states != "asked granted used " && states != "asked used " {
		return errors.New("an approval that was not asked for, granted and used")
	}
	if answer := records[1]; !same(answer.By, used.By) || !same(answer.Via, used.Via) || answer.Claimed != used.Claimed {
		return errors.New("an approval that was used as somebody else answered")
	}
	if used.Call != outcome.Call || used.Via == nil {
		return errors.New("an approval that the call did not use")
	}
	return nil
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
	approvals := map[string][]said{}
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
		if record.Kind != "approval" {
			return errors.New("a record that is not of an approval")
		}
		approvals[record.ApprovalID] = append(approvals[record.ApprovalID], record)
	}
	if len(c.Records) == 0 {
		return errors.New("no intent")
	}
	for _, records := range approvals {
		if err := checkApproval(records, outcome); err != nil {
			return err
		}
	}
	for _, attempt := range outcome.Route.Attempts {
		if attempt.Approval == "" {
			continue
		}
		records := approvals[attempt.Approval]
		if len(records) == 0 {
			return errors.New("an approval whose use is missing")
		}
		if records[0].Server != attempt.Server || records[0].Tool != attempt.Tool {
			return errors.New("an approval of another tool")
		}
	}
	return nil
}
