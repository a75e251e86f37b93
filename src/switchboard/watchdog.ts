// Kills the servers that are left when we die, however we die. One `sh` for the whole process waits on a pipe whose
// other end only we hold: the kernel closes it even after kill -9, and then the shell ends the groups it knows.
import { type ChildProcess, spawn } from 'node:child_process';
import { ignoreErrors } from '../wire/ignore-errors.js';

/**
 * `+ 12` and `- 12` change the list of process groups; the end of input ends them: one second to leave, then killed.
 * `set -f`: nothing is a pattern. `kill -s KILL -- -12` is the form that dash knows, too. The traps: a terminal that goes
 * tells every process of its session so, and this one must stay until the rest is gone.
 */
const SCRIPT = `set -f
trap '' HUP INT TERM
while read -r op g; do
  case $op in
    +) G="$G $g";;
    -) N=; for x in $G; do [ "$x" = "$g" ] || N="$N $x"; done; G=$N;;
  esac
done
[ -z "$G" ] && exit 0
for g in $G; do kill -s TERM -- "-$g" 2>/dev/null; done
sleep 1
for g in $G; do kill -s KILL -- "-$g" 2>/dev/null; done
exit 0`;

export class Watchdog {
  readonly #groups = new Set<number>();
  readonly #isPosix: boolean;
  #shell: ChildProcess | undefined;
  #closed = false;

  constructor(platform: NodeJS.Platform = process.platform) {
    this.#isPosix = platform !== 'win32';
  }

  /** The shell's process id, while there is one. */
  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  add(pgid: number): void {
    if (this.#groups.has(pgid)) return;
    this.#groups.add(pgid);
    if (this.#shell === undefined) this.#start();
    else this.#tell(`+ ${pgid}`);
  }

  remove(pgid: number): void {
    if (this.#groups.delete(pgid)) this.#tell(`- ${pgid}`);
  }

  /** Groups that are still on the list are ended. Resolves when the shell is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const shell = this.#shell;
    if (shell === undefined) return;
    shell.ref();
    await new Promise<void>((resolve) => {
      shell.once('close', () => resolve());
      shell.stdin?.end();
    });
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
