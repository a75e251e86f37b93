// Kills the servers that are left when we die, however we die. One `sh` for the whole process waits on a pipe whose
// other end only we hold: the kernel closes it even after kill -9, and then the shell ends the groups it knows.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { ignoreErrors } from '../../wire/ignore-errors.js';
import type { GroupNotes } from './group-notes.js';

/**
 * `+ 12` and `- 12` change the list of process groups; the end of input ends them: one second to leave, then killed.
 * `? m` and `! m` change the list of marks of servers that are being started: should we die before their number is known,
 * they are looked for by the mark in their environment, where the system shows it (Linux), and killed.
 * `set -f`: nothing is a pattern. `G= M=`: variables of these names in our own environment are not our servers. `kill -s KILL
 * -- -12` is the form that dash knows, too. The traps: a terminal that goes tells every process of its session so, and this one
 * must stay until the rest is gone.
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

export interface WatchdogOptions {
  readonly platform?: NodeJS.Platform;
  /** Told of the same groups, for whoever starts after us. */
  readonly notes?: Pick<GroupNotes, 'add' | 'remove'> | undefined;
}

export class Watchdog {
  readonly #groups = new Set<number>();
  readonly #expected = new Set<string>();
  readonly #isPosix: boolean;
  readonly #notes: WatchdogOptions['notes'];
  #shell: ChildProcess | undefined;
  #closed = false;

  constructor({ platform = process.platform, notes }: WatchdogOptions = {}) {
    this.#isPosix = platform !== 'win32';
    this.#notes = this.#isPosix ? notes : undefined;
  }

  /** The shell's process id, while there is one. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** A server is about to be started with this mark. Ends with `add` or `unexpect`. Undefined: none may be, it would outlive us. */
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

  /** Groups that are still on the list are ended. Resolves when the shell is gone. */
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
    // Otherwise somebody ended the shell before it was through: they are noted for the next start.
    if (code === 0) for (const pgid of this.#groups) this.#notes?.remove(pgid);
  }

  #start(): void {
    if (!this.#isPosix || this.#closed) return;
    // Detached: a Ctrl-C in our terminal must not take it away before us. `/`: it must keep no directory busy.
    const shell = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
    this.#shell = shell;
    shell.once('error', () => this.#gone(shell));
    shell.once('close', () => this.#gone(shell));
    if (shell.stdin) ignoreErrors(shell.stdin);
    // It watches us; we do not wait for it.
    shell.unref();
    (shell.stdin as { unref?: () => void } | null)?.unref?.();
    for (const pgid of this.#groups) this.#tell(`+ ${pgid}`);
    for (const mark of this.#expected) this.#tell(`? ${mark}`);
  }

  /** Somebody ended the shell. The next server that starts gets a new one, which is told of all the others. */
  #gone(shell: ChildProcess): void {
    if (this.#shell === shell) this.#shell = undefined;
  }

  #tell(line: string): void {
    const stdin = this.#shell?.stdin;
    if (stdin?.writable) stdin.write(`${line}\n`);
  }
}
