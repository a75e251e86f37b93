// Command colibri-check is a second implementation of what a stranger needs to check a log: checkpoints, proof files and
// consistency files. Signatures and trees are Go's own golang.org/x/mod/sumdb/note and tlog; nothing is shared with src/.
//
//	check-checkpoint  [-cosignatures] <vkey> [file ...]
//	check-proof       [-cosignatures] <vkey> [file ...]
//	check-consistency [-cosignatures] <vkey> [older newer ...]
//
// The verdict on each file, or on each pair of files, is one line: "ok" or "refused: " and the reason. Without files each
// line of standard input is one case: the file in base64, or two of them with a space between. The exit code is 0 if all
// hold, 1 if one does not, 2 if the question itself is wrong.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// A check judges one case, which consists of one file or two.
type check struct {
	files int
	run   func(files []string, k trusted) error
}

// trusted is what the one who checks brings along: the key, and whether others may have signed too.
type trusted struct {
	key          note.Verifier
	cosignatures bool
}

var checks = map[string]check{
	"check-checkpoint": {1, func(files []string, k trusted) error {
		_, err := openCheckpoint(files[0], k)
		return err
	}},
	"check-proof":       {1, func(files []string, k trusted) error { return checkProof(files[0], k) }},
	"check-consistency": {2, func(files []string, k trusted) error { return checkConsistency(files[0], files[1], k) }},
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	code, err := judge(os.Args[1:], os.Stdin, out)
	out.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func judge(args []string, in io.Reader, out io.Writer) (code int, err error) {
	if len(args) < 2 {
		return 2, fmt.Errorf("usage: <check> [-cosignatures] <vkey> [file ...]")
	}
	what, known := checks[args[0]]
	args = args[1:]
	k := trusted{cosignatures: args[0] == "-cosignatures"}
	if k.cosignatures {
		args = args[1:]
	}
	if !known || len(args) == 0 || (len(args)-1)%what.files != 0 {
		return 2, fmt.Errorf("no such check, no vkey, or a file is missing")
	}
	if k.key, err = note.NewVerifier(args[0]); err != nil {
		return 2, err
	}
	next := fromStdin(in)
	if len(args) > 1 {
		next = fromFiles(args[1:], what.files)
	}
	for {
		files, err := next()
		if err == io.EOF {
			return code, nil
		}
		if err == nil && len(files) != what.files {
			err = fmt.Errorf("a case has %d files, not %d", what.files, len(files))
		}
		if err != nil {
			return 2, err
		}
		if err := what.run(files, k); err != nil {
			code = 1
			fmt.Fprintf(out, "refused: %v\n", err)
		} else {
			fmt.Fprintln(out, "ok")
		}
	}
}

func fromFiles(names []string, each int) func() ([]string, error) {
	return func() ([]string, error) {
		if len(names) == 0 {
			return nil, io.EOF
		}
		var files []string
		for _, name := range names[:each] {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, string(data))
		}
		names = names[each:]
		return files, nil
	}
}

func fromStdin(in io.Reader) func() ([]string, error) {
	lines := bufio.NewReader(in)
	return func() ([]string, error) {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		var files []string
		for _, encoded := range strings.Split(strings.TrimSuffix(line, "\n"), " ") {
			data, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return nil, err
			}
			files = append(files, string(data))
		}
		return files, nil
	}
}
