// The command `colibri verify`: its options, its help, and whether a store or a proof file is checked.
import { Command, Option } from 'commander';
import { withPlace } from '../place-options.js';
import { running } from '../run.js';
import { wrong } from '../target.js';
import type { VerifyOptions } from './options.js';

const AFTER = `
Reads the whole store and recomputes everything: records, tree, checkpoints,
heads, calls, tasks, sessions, thoughts. Nothing is written, and running servers
are not disturbed.

  colibri verify                   the store of this project
  colibri verify --node <name>     the logs of one machine (\`colibri nodes\`)
  colibri verify --session <id>    one session
  colibri verify --task T-0042     the sessions of one task
  colibri verify --head usb/9f3c….checkpoint
                                   against a head that was kept elsewhere
                                   (\`checkpoint --to\`); - is stdin
  colibri verify --receipts kept.jsonl
                                   against answers that a client kept, or the
                                   receipts alone
  colibri verify --since last-week.checkpoint
                                   trusts what that head covers and says what
                                   was skipped
  colibri verify --db monday.db --copy
                                   an older copy: heads that are newer than it
                                   are left out, and the verdict says so
  colibri verify decision.tlog-proof --key 'colibri.dev/log/…'
                                   a proof file alone; no store is needed
  colibri verify report.html --key 'colibri.dev/log/…'
                                   a page (\`colibri page\`): its data, and that
                                   the file is the one that shows them

Exit codes, the first that applies:
  20  a contradiction: something was changed, added, removed or put back
  30  the store or the file cannot be read
  10  intact, but evidence is missing, and other evidence says so
   0  none of these`;

/** Checks a store or a proof file; loads the database driver only for a store. */
const run = async (file: string | undefined, options: VerifyOptions): Promise<number> => {
  const proof = file ?? options.proof;
  if (proof !== undefined) return (await import('./proof.js')).verifyProofFile(proof, options);
  if (options.key !== undefined) throw wrong('--key is for a proof file or a page.', 'Name the file.');
  return (await import('./store.js')).verifyInStore(options);
};

export const verifyCommand = (): Command =>
  withPlace(new Command('verify').argument('[proof]', 'a proof file or a page; the store if left out'))
    .description('check the store, one machine, a session, a task, a proof file or a page')
    .option('--node <name>', 'the logs of one machine, as `colibri nodes` names it')
    .option('--session <id>', 'one session')
    .option('--task <id>', 'the sessions of one task')
    .addOption(
      new Option('--head <file>', 'a head that was kept elsewhere; may be repeated')
        .default([], 'none')
        .argParser((file, all: string[]) => [...all, file]),
    )
    .option('--receipts <file>', 'answers or receipts that a client kept, as JSON')
    .option('--since <file>', 'a head whose records are taken on trust')
    .option('--copy', 'an older copy of a store: leave newer heads out')
    .option('--proof <file>', 'the same as the argument')
    .addOption(
      new Option(
        '--key <vkey>',
        'the key of the log that the proof is of: the text, or a file with it; may be repeated',
      ).argParser((key, before: string | undefined) => (before === undefined ? key : `${before}\n${key}`)),
    )
    .option('--allow-cosignatures', 'accept signatures of others on a checkpoint')
    .addHelpText('after', AFTER)
    .action(running(run));
