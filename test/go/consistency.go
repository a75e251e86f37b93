package main

import (
	"crypto/sha256"
	"errors"

	"golang.org/x/mod/sumdb/tlog"
)

// tlog-witness, add-checkpoint: no more than these are sent.
const mostConsistency = 63

// checkConsistency says whether the checkpoint in a consistency file continues an older one.
func checkConsistency(older, file string, k trusted) error {
	head, checkpoint, err := splitHead(file)
	if err != nil {
		return err
	}
	old, err := parseNumber(head[0], "old")
	if err != nil {
		return err
	}
	path, err := parseHashes(head[1:], mostConsistency)
	if err != nil {
		return err
	}
	before, err := openCheckpoint(older, k)
	if err != nil {
		return err
	}
	after, err := openCheckpoint(checkpoint, k)
	if err != nil {
		return err
	}
	if old != before.N {
		return errors.New("another size than that of the older checkpoint")
	}
	return continues(path, before, after)
}

func continues(path []tlog.Hash, before, after tlog.Tree) error {
	for _, tree := range []tlog.Tree{before, after} {
		// RFC 6962 §2.1. Not tlog.TreeHash, to which the empty tree is all zeros.
		if tree.N == 0 && tree.Hash != sha256.Sum256(nil) {
			return errors.New("an empty tree has the wrong root")
		}
	}
	if before.N > 0 {
		return tlog.CheckTree(path, after.N, after.Hash, before.N, before.Hash)
	}
	if len(path) > 0 {
		return errors.New("nothing is to be proved of an empty tree")
	}
	return nil
}
