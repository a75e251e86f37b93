// Every secret of both lists through every channel of the built process: arguments, errors, stderr of servers, addresses, health details, the log
// file, the board, exports. And every harmless text, where it is to be seen, as it was.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, rows, stateDir } from '../support/command-line.js';
import { FURTHER_HARMLESS, FURTHER_SECRETS } from '../support/further-secrets.js';
import { eventually } from '../support/process-list.js';
import { HARMLESS, SECRETS, type SecretSample } from '../support/secrets.js';
import { freshPlace, type Peer, type Place, serve } from '../support/serve.js';
import { untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { answerQuestions, CTRL_C, hasTerminals } from '../support/terminal.js';
import { leakingServer } from './leaking-server.js';
import { dies, written } from './secrets.shared.js';

vi.setConfig({ testTimeout: 600_000 });

const ALL: readonly SecretSample[] = [...SECRETS, ...FURTHER_SECRETS];
const PLAIN = [...HARMLESS, ...FURTHER_HARMLESS];

/** Short ones are words that may stand anywhere; each sample gets one of its own, of the same letters. */
const own = ({ kind, secret, text }: SecretSample, i: number): SecretSample => {
  const isWord = /^[a-z][a-z -]{3,}$/i.test(secret);
  const unique = isWord ? `${secret}${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}zq` : secret;
  return { kind, secret: unique, text: text.replaceAll(secret, () => unique) };
};
const SAMPLES = ALL.map(own);

/** What of a secret must not be found: its longest line, so that a key that is written in pieces counts too. */
const coreOf = (secret: string): string =>
  secret.split(/\r?\n|\\n/).reduce((longest, line) => (line.length > longest.length ? line : longest), '');

/** Found in a text as it is, escaped as in JSON, or as in an address. */
const leaksIn = (shown: string): string[] =>
  SAMPLES.filter(({ secret }) => {
    const core = coreOf(secret);
    return [core, JSON.stringify(core).slice(1, -1), encodeURIComponent(core)].some((form) => shown.includes(form));
  }).map(({ kind }) => kind);

const batches = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

/** So many servers die before the client sees the rest: few enough that a small machine can start them at once. */
const AT_ONCE = 120;

const logFile = (place: Place): string => fs.readFileSync(join(stateDir(place), 'log', 'colibri.log'), 'utf8');

const LOOKS: readonly (readonly string[])[] = [
  ...[['switchboard', '--once'], ['switchboard', '--json'], ['status'], ['doctor'], ['export']],
  ...[
    ['log', '--json', '--limit', '1000'],
    ['log', '--kind', 'health', '--limit', '1000'],
    ['export', '--format', 'csv'],
  ],
];

/** The board that is drawn again and again, until somebody ends it. */
const liveBoard = async (place: Place): Promise<string> =>
  hasTerminals
    ? (await answerQuestions({ project: place.dir, place }, ['switchboard'], [CTRL_C], /UNHEALTHY/g)).text
    : '';

const shownBy = async (place: Place): Promise<Record<string, string>> => {
  const shown: Record<string, string> = {};
  for (const args of LOOKS) {
    const { stdout, stderr } = await colibri(place, args);
    shown[args.join(' ')] = stdout + stderr;
  }
  return shown;
};

const started = async (place: Place): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  return peer;
};

const assertNone = (found: Readonly<Record<string, string>>): void => {
  const leaks = Object.entries(found).flatMap(([where, text]) => leaksIn(text).map((kind) => `${kind} in ${where}`));
  expect(leaks).toEqual([]);
};

test('arguments and errors, of proxied calls and of our own', async () => {
  const place = freshPlace();
  writeBoard(place, { far: { url: await leakingServer() } });
  const peer = await started(place);
  await untilHealthy(peer, 'far');
  for (const { secret, text } of SAMPLES) {
    await peer.call('server_ping', { text });
    for (const tool of ['say', 'fail', 'refuse']) await peer.call(`far__${tool}`, { text });
    await peer.call(`nothing ${text}`.slice(0, 400), { text });
    await peer.call('task_get', { task_id: text, [text]: text }); // refused by us
    await peer.call('server_ping', { nested: [JSON.stringify({ inner: JSON.stringify({ text }) })], secret: [secret] });
  }
  await peer.end();
  assertNone({ ...(await shownBy(place)), store: written(place), log: logFile(place), stderr: peer.stderr });
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

test('harmless arguments are kept as they are', async () => {
  const place = freshPlace();
  writeBoard(place, { far: { url: await leakingServer() } });
  const peer = await started(place);
  await untilHealthy(peer, 'far');
  await peer.call('far__say', { text: '', texts: PLAIN });
  await peer.call('server_ping', { text: '', texts: PLAIN });
  await peer.end();
  const kept = rows<{ json: string }>(place, 'SELECT json FROM payloads').map(({ json }) => JSON.parse(json).texts);
  expect(kept.filter((texts) => texts !== undefined)).toEqual([PLAIN, PLAIN]);
});

const outOf = (peer: Peer, count: number): Promise<void> =>
  peer.until(() => (peer.stderr.match(/: STARTING → UNHEALTHY/g)?.length ?? 0) >= count, 120_000);

test.each(['stderr', 'addresses'] as const)('%s of failing servers: records, log file, board, export', async (what) => {
  for (const batch of batches(SAMPLES, AT_ONCE)) {
    const place = freshPlace();
    const entries = batch.map(({ secret, text }, i) => {
      const at = `http://me:${encodeURIComponent(secret)}@127.0.0.1:9/mcp?access_token=${encodeURIComponent(secret)}`;
      return [`s${i}`, what === 'stderr' ? dies(`Error: ${text}\n`) : { url: at }] as const;
    });
    const file = writeBoard(place, Object.fromEntries(entries));
    const peer = await started(place);
    await outOf(peer, batch.length);
    const refusals = await Promise.all(batch.slice(0, 8).map((_, i) => peer.call(`s${i}__x`, {})));
    await eventually(
      'the board has them all',
      async () => !/STARTING/.test((await colibri(place, ['switchboard', '--once'])).stdout),
      30_000,
    );
    const shown = await shownBy(place);
    const live = await liveBoard(place);
    expect(live.includes('UNHEALTHY') || !hasTerminals).toBe(true);
    await peer.end();
    fs.rmSync(file);
    assertNone({
      ...shown,
      live,
      store: written(place),
      log: logFile(place),
      err: peer.stderr,
      refused: JSON.stringify(refusals),
    });
  }
});

test('harmless words of failing servers are told as they are', async () => {
  const said = PLAIN.filter((text) => !/[\n\\]|\$[{]/.test(text) && text.length < 200); // variables are filled in
  for (const batch of batches(said, AT_ONCE)) {
    const place = freshPlace();
    writeBoard(place, Object.fromEntries(batch.map((text, i) => [`s${i}`, dies(`Error: ${text} |`)])));
    const peer = await started(place);
    const missing = (): string[] => {
      const kept = rows<{ json: string }>(place, 'SELECT json FROM payloads');
      const details = kept.map(({ json }) => String(JSON.parse(json).detail));
      return batch.filter((text) => !details.some((detail) => detail.includes(`Error: ${text} |`)));
    };
    // On a busy machine last words may come too late; a server that is started again says them again.
    await eventually('all have said it', async () => missing().length === 0, 60_000).catch(() => {});
    await peer.end();
    expect(missing()).toEqual([]);
  }
});
