// Ends the servers of this Colibri process when the process dies, in whatever way. A shell reads from a pipe whose other end only this process
// holds. The kernel closes that end even after kill -9, and then the shell ends the process groups on its list.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { ignoreErrors } from '../../wire/console.js';
import type { GroupNotes } from './group-notes.js';

/**
 * The shell script of the watchdog. The input lines `+ 12` and `- 12` add and remove a process group. At the end of input each group gets
 * SIGTERM and, one second later, SIGKILL. `? m` and `! m` add and remove the mark of a server that is being started: if Colibri dies before
 * the server's process number is known, the script finds the server by the mark in its environment (on Linux only) and kills it. `set -f`
 * switches file name patterns off. `G= M=` empties the lists, in case variables of these names were inherited. `kill -s KILL -- -12` is a
 * form that dash knows, too. The trap: a terminal that closes signals all processes of its session, and the shell must outlive the others.
 */
const SCRIPT = `set -f
G= M=
trap '' HUP INT TERM
without() { N=; for x in $1; do [ "$x" = "$2" ] || N="$N $x"; done; }
while read -r op x; do
  case $op in
    +) G="$G $x";;
    -) without "$G" "$x"; G=$N;;
    '?') M="$M $x";;
    !) without "$M" "$x"; M=$N;;
  esac
done
[ -z "$G$M" ] && exit 0
for g in $G; do kill -s TERM -- "-$g" 2>/dev/null; done
sleep 1
for g in $G; do kill -s KILL -- "-$g" 2>/dev/null; done
[ -z "$M" ] && exit 0
E=; for m in $M; do E="$E -e $m"; done
set +f
for f in $(grep -ls $E /proc/[0-9]*/environ); do
  p=\${f#/proc/}; kill -s KILL -- "-\${p%/environ}" 2>/dev/null
done
exit 0`;

const isPosix = process.platform !== 'win32';

export class Watchdog {
  readonly #groups = new Set<number>();
  readonly #expected = new Set<string>();
  readonly #notes: Pick<GroupNotes, 'add' | 'remove'> | undefined;
  #shell: ChildProcess | undefined;
  #closed = false;

  /** `notes`: writes the watchdog's process groups to a file, too, so that the next Colibri process can end the groups that are left. */
  constructor(notes?: Pick<GroupNotes, 'add' | 'remove'>) {
    this.#notes = isPosix ? notes : undefined;
  }

  /** The process id of the watchdog's shell; undefined while no shell runs. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /**
   * Returns a mark (a random text) for the environment of a server that is about to be started; `add` or `unexpect` must be called next.
   * Undefined if Colibri ends and no server may be started.
   */
  expect(): string | undefined {
    if (this.#closed) return undefined;
    const mark = randomBytes(12).toString('hex');
    this.#expected.add(mark);
    if (this.#shell === undefined) this.#start();
    else this.#tell(`? ${mark}`);
    return mark;
  }

  unexpect(mark: string): void {
    if (this.#expected.delete(mark)) this.#tell(`! ${mark}`);
  }

  add(pgid: number, mark?: string): void {
    if (!this.#groups.has(pgid)) {
      this.#groups.add(pgid);
      void this.#notes?.add(pgid, mark);
      if (this.#shell === undefined) this.#start();
      else this.#tell(`+ ${pgid}`);
    }
    if (mark !== undefined) this.unexpect(mark);
  }

  remove(pgid: number): void {
    if (!this.#groups.delete(pgid)) return;
    this.#tell(`- ${pgid}`);
    this.#notes?.remove(pgid);
  }

  /** Ends the process groups that are still on the watchdog's list. Resolves when the watchdog's shell has exited. */
  async close(): Promise<void> {
    if (this.#shell === undefined && this.#groups.size > 0) this.#start();
    this.#closed = true;
    const shell = this.#shell;
    if (shell === undefined) return;
    shell.ref();
    const code = await new Promise<number | null>((resolve) => {
      shell.once('close', resolve).once('error', () => resolve(null));
      shell.stdin?.end();
    });
    // An exit code other than 0 means that the shell was killed too early. The process groups then stay in this process's file of groups, and
    // the next Colibri process ends them.
    if (code === 0) for (const pgid of this.#groups) this.#notes?.remove(pgid);
  }

  #start(): void {
    if (!isPosix || this.#closed) return;
    // `detached`, because Ctrl-C in the terminal must not end the shell before this process; `/`, because the shell must not keep a folder busy.
    const shell = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
    this.#shell = shell;
    shell.once('error', () => this.#gone(shell));
    shell.once('close', () => this.#gone(shell));
    if (shell.stdin) ignoreErrors(shell.stdin);
    // The shell watches this process and must not keep it alive.
    shell.unref();
    (shell.stdin as { unref?: () => void } | null)?.unref?.();
    for (const pgid of this.#groups) this.#tell(`+ ${pgid}`);
    for (const mark of this.#expected) this.#tell(`? ${mark}`);
  }

  /** Forgets the watchdog's shell after it has exited. When the next server starts, a new shell is started and told all process groups. */
  #gone(shell: ChildProcess): void {
    if (this.#shell === shell) this.#shell = undefined;
  }

  #tell(line: string): void {
    const stdin = this.#shell?.stdin;
    if (stdin?.writable) stdin.write(`${line}\n`);
  }
}
