// npm run chaos: a scratch Colibri with traffic on all of its servers; one after another is disturbed, and the others must go
// on. Prints what was seen; exit code 1 where something that must hold did not.
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from './colibri.mjs';
import { disturb, untilReady } from './disturb.mjs';
import { readOptions, USAGE, Wrong } from './options.mjs';
import { progressOn } from './progress.mjs';
import { reportText } from './report.mjs';
import { brokenInvariants, invariantsOf, rowOf } from './row.mjs';
import { scaleText } from './scale.mjs';
import { Stage } from './stage.mjs';
import { Traffic } from './traffic.mjs';

/** @typedef {Awaited<ReturnType<typeof perform>>} Report */

/** After Colibri has ended, nothing of its servers may be there for longer. */
const LEFT_MS = 5_000;
const OUR_TRAFFIC = { pauseMs: 200, callers: { usual: 1, target: 4 } };
/** Somebody else's servers: they may cost money or count requests. */
const OWN_TRAFFIC = { pauseMs: 1_000, callers: { usual: 1, target: 3 } };

/** Traffic on every server that can be had, and who cannot. @param {Stage} stage @param {(text: string) => void} say */
const begin = async (stage, say) => {
  const { servers, options } = stage.parts;
  const names = servers.map(({ name }) => name);
  say(`starting ${names.length} servers`);
  await stage.start();
  const { pauseMs, callers } = options.config === undefined ? OUR_TRAFFIC : OWN_TRAFFIC;
  const nobody = new Traffic(stage.colibri, [], pauseMs);
  const base = { world: stage.world(), health: stage.health, callers, say };
  const started = await untilReady({ ...base, traffic: nobody, isCalled: () => false }, names);
  const targets = await stage.targets();
  const called = new Set(targets.filter(({ tools }) => tools.length > 0).map(({ server }) => server));
  const traffic = new Traffic(stage.colibri, targets, pauseMs);
  const scene = { ...base, traffic, isCalled: (/** @type {string} */ server) => called.has(server) };
  for (const server of started) traffic.set(server, callers.usual);
  const ready = await untilReady(scene, started);
  const skipped = names
    .filter((server) => !ready.includes(server))
    .map((server) => ({ server, ...stage.health.lastOf(server) }));
  return { scene, traffic, ready, skipped };
};

/** @param {Stage} stage */
const leftBehind = async (stage) => {
  const deadline = performance.now() + LEFT_MS;
  while (stage.left().length > 0 && performance.now() < deadline) await sleep(100);
  return stage.left().map(({ pid, mark }) => ({ pid, server: mark.slice(mark.indexOf('/') + 1) }));
};

/** @param {Stage} stage @param {Traffic} traffic */
const totalsOf = (stage, traffic) => {
  const { cast, servers } = stage.parts;
  const seen = { calls: traffic.calls, health: stage.health, arrivalsOf: cast.arrivalsOf };
  const each = servers.map(({ name }) => invariantsOf(name, seen));
  const sum = (/** @type {'hung' | 'ineligible' | 'twice'} */ key) =>
    each.reduce((all, one) => all + (one[key] ?? 0), 0);
  return {
    servers: servers.length,
    calls: traffic.calls.length,
    hung: sum('hung'),
    ineligible: sum('ineligible'),
    twice: sum('twice'),
  };
};

/** @param {Stage} stage @param {(text: string) => void} say */
const perform = async (stage, say) => {
  const { scratch, cast, servers, options } = stage.parts;
  const { scene, traffic, ready, skipped } = await begin(stage, say);
  const wanted = cast.disturbances().filter(({ id, server }) => options.only.includes(id) && ready.includes(server));
  if (wanted.length === 0) throw new Error('no server is well, so there is nothing to disturb');
  const courses = [];
  for (const disturbance of wanted) courses.push(await disturb(disturbance, scene));
  say('ending');
  await traffic.stop();
  await stage.close();
  const seen = { calls: traffic.calls, health: stage.health, arrivalsOf: cast.arrivalsOf };
  const rows = courses.map((course) => rowOf(course, seen));
  const totals = totalsOf(stage, traffic);
  const left = await leftBehind(stage);
  say('verifying');
  const verify = await runCommand(scratch, ['verify']);
  const replay = await runCommand(scratch, ['switchboard', 'replay']);
  const exit = stage.colibri.exit ?? { code: null, signal: null };
  const isOurs = options.config === undefined;
  const faults = [
    ...rows.flatMap(({ id, server, faults: found }) => found.map((fault) => `${id} (${server}): ${fault}`)),
    ...brokenInvariants(totals),
    ...(isOurs ? skipped.map(({ server, state }) => `${server} did not start: ${state}`) : []),
    ...(exit.code === 0 ? [] : [`Colibri ended with ${exit.signal ?? exit.code}`]),
    ...left.map(({ pid, server }) => `process ${pid} of ${server} was left`),
    ...(verify.code === 0 ? [] : [`colibri verify: exit ${verify.code}`]),
    ...(replay.code === 0 ? [] : [`colibri switchboard replay: exit ${replay.code}`]),
  ];
  const [first] = servers;
  const times = first === undefined ? '' : scaleText(first, options.scale);
  return {
    ok: faults.length === 0,
    scale: options.scale,
    times,
    rows,
    skipped,
    totals,
    verify,
    replay,
    left,
    exit,
    faults,
  };
};

/** Aborted by Ctrl-C and the like; a second one does not wait. */
const interruption = () => {
  const controller = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      process.stderr.write('\nchaos: ending what was started\n');
      controller.abort();
    });
  }
  return controller.signal;
};

/** @param {unknown} thrown @param {AbortSignal} interrupted @param {Stage | undefined} stage */
const explain = (thrown, interrupted, stage) => {
  if (interrupted.aborted) return 130;
  const cause = stage?.over.aborted ? stage.over.reason : thrown;
  console.error(`chaos: ${cause instanceof Error ? cause.message : cause}`);
  if (thrown instanceof Wrong) return 2;
  if (stage?.hasStarted) console.error(stage.colibri.stderr.trim());
  return 1;
};

const main = async () => {
  const interrupted = interruption();
  const progress = progressOn(process.stderr);
  /** @type {Stage | undefined} */
  let stage;
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.help) return void console.log(USAGE);
    if (process.platform === 'win32') throw new Wrong('this system has no SIGSTOP and no process groups');
    stage = await Stage.prepare(options, interrupted);
    if (options.keep) console.error(`scratch folder: ${stage.parts.scratch.folder}`);
    const report = await perform(stage, progress.say);
    progress.end();
    console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report));
    process.exitCode = report.ok ? 0 : 1;
  } catch (thrown) {
    progress.end();
    process.exitCode = explain(thrown, interrupted, stage);
  } finally {
    await stage?.close();
  }
};

process.stdout.on('error', () => {}); // whoever reads may be gone
await main();
process.exit(); // whatever is still open is ours and of no use
