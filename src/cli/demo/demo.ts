// `colibri demo`: plays a real session of an agent in a scratch folder and prints a summary.
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Command, Option } from 'commander';
import { readEnv, workingDirectory } from '../../config.js';
import { EXIT_FAILED, EXIT_INTERRUPTED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { CLI_LIMITS } from '../limits.js';
import { running } from '../run.js';
import { oneLine, plain, tell } from '../screen/print.js';
import { Cast, play } from './play.js';
import type { Counts } from './repository.js';
import { MAIN, Scratch } from './scratch.js';
import { ClaimFailed, Story } from './story.js';

const AFTER = `
A real server, a real client and two small example servers, in a scratch folder:
tasks, a crash, a proof, a forgery, a fallback. Every line that says ok was
checked. It needs no network and none of your settings, and takes a few seconds.

  colibri demo           removes the folder when it is over
  colibri demo --keep    keeps the folder, and says how to look at it
  colibri demo --json    prints steps and claims as JSON

Exit codes: 0 everything held, 1 something did not (it says what),
130 interrupted.`;

interface DemoOptions {
  readonly keep?: true;
  readonly json?: true;
}

/** A path as a person would type it: relative if it is below the working directory. */
const typedPath = (path: string): string => {
  const below = relative(workingDirectory(), path);
  const short = below === '' || below.startsWith('..') || path === `/${below}` ? path : below;
  return /^[\w./-]+$/.test(short) ? short : `'${short}'`;
};

/** The words that start `colibri` on this machine, for the commands that the demo suggests. */
const command = (): string =>
  basename(process.argv[1] ?? '') === basename(MAIN) ? `node ${typedPath(MAIN)}` : 'colibri';

const testCommand = (root: string): string =>
  root === workingDirectory() ? 'npm test' : `npm test --prefix ${typedPath(root)}`;

const nextSteps = (): readonly (readonly [string, string])[] => {
  const root = dirname(dirname(dirname(MAIN)));
  return [
    [`${command()} init`, 'adds Colibri to the configuration of your clients'],
    [`${command()} status`, 'what it has recorded since, and whether all is well'],
    // The packed package has no tests.
    ...(existsSync(join(root, 'test'))
      ? [[testCommand(root), 'runs this and much more as tests, in about four minutes; docs/ explains it'] as const]
      : []),
  ];
};

/** A command that verifies the demo's store. It sets HOME because the key and the signed heads are in the demo's home folder. */
const howToLook = ({ home, store }: Scratch): string => {
  const own = readEnv().XDG_STATE_HOME === undefined ? '' : 'XDG_STATE_HOME= ';
  return `${own}HOME=${typedPath(home)} ${command()} verify --db ${typedPath(store)}`;
};

const sayEnd = ({ story, scratch }: Cast, options: DemoOptions, counts: Counts, tookMs: number): void => {
  const claims = story.steps.reduce((sum, step) => sum + step.claims.length, 0);
  const { folder, home, store } = scratch;
  story.tell();
  const seconds = (tookMs / 1000).toFixed(1);
  story.tell(`All ${claims} claims held, in ${seconds} s, with ${count(counts.intents, 'call')} recorded.`);
  story.tell(`Nothing was written outside ${folder}, which ${options.keep ? 'was kept:' : 'was removed.'}`);
  if (options.keep) story.show(`  ${howToLook(scratch)}`);
  story.tell();
  story.tell('To go on:');
  for (const [line, what] of nextSteps()) {
    story.show(`  ${line}`);
    story.tell(`      ${what}`);
  }
  story.end({
    ok: true,
    took_ms: Math.round(tookMs),
    calls: counts.intents,
    records: counts.records,
    folder,
    kept: options.keep === true,
    ...(options.keep && { home, store, look: howToLook(scratch) }),
    next: nextSteps().map(([line]) => line),
  });
};

const sayStopped = ({ folder }: Scratch, { keep }: DemoOptions): void => {
  if (process.stderr.isTTY === true) tell(''); // ends the line with ^C
  tell(plain(`colibri: Stopped. ${keep ? `${folder} is kept.` : 'Its folder was removed.'}`));
};

const sayFailure = (thrown: unknown, story: Story, lastWords: string): void => {
  const failure = oneLine(thrown);
  tell(`colibri: ${failure}`);
  const found =
    thrown instanceof ClaimFailed
      ? (JSON.stringify(thrown.found) ?? 'nothing').slice(0, CLI_LIMITS.demoFoundChars)
      : undefined;
  if (found !== undefined) tell(plain(`  found instead: ${found}`));
  if (lastWords !== '') tell(plain(`  the last line that the server logged: ${lastWords}`));
  story.end({ ok: false, failure, ...(found !== undefined && { found }) });
};

/** A promise that rejects at the first signal. Further signals are ignored while the demo cleans up. */
const interruption = (interrupted: AbortController, story: Story): Promise<never> => {
  const rejection = new Promise<never>((_, reject) => {
    interrupted.signal.addEventListener('abort', () => {
      story.stop();
      reject(interrupted.signal.reason);
    });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
  return rejection;
};

const demo = async (options: DemoOptions): Promise<number> => {
  const began = performance.now();
  const interrupted = new AbortController();
  const story = new Story(options.json === true);
  const rejection = interruption(interrupted, story); // created before anything that needs cleaning up
  const scratch = new Scratch(interrupted.signal);
  const cast = new Cast(scratch, story);
  story.tell('A real session with Colibri, in a folder of its own. Every line with ok was checked after it happened.');
  const outcome = await Promise.race([play(cast), rejection]).then(
    (counts) => ({ counts }),
    (thrown: unknown) => ({ thrown }),
  );
  const { lastWords } = cast;
  await cast.end();
  if (options.keep !== true) await scratch.remove();
  if (interrupted.signal.aborted) {
    sayStopped(scratch, options);
    return EXIT_INTERRUPTED;
  }
  if ('thrown' in outcome) {
    sayFailure(outcome.thrown, story, lastWords);
    return EXIT_FAILED;
  }
  sayEnd(cast, options, outcome.counts, performance.now() - began);
  return 0;
};

export const demoCommand = (): Command =>
  new Command('demo')
    .description('show a real session in a scratch folder, with every claim checked')
    .option('--keep', 'leave the folder where it is')
    .addOption(new Option('--json', 'print JSON on stdout'))
    .addHelpText('after', AFTER)
    .action(running(demo));
