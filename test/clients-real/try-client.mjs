// Runs the scenarios with one client and says what was seen.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { startModel } from './model/stub.mjs';
import { makePlace } from './place.mjs';
import { endLeftovers, startProgram } from './run-program.mjs';
import { SCENARIOS } from './scenarios.mjs';

const RUN_MS = 90_000;
const TRIES = 2;
const PROMPT = 'Do what is to be done with your tools, then stop.';

const lastLines = (text) => text.trim().split('\n').slice(-6).join('\n');

/** How the program ended, where that was not by itself. */
const endOf = ({ failure, isLate, code, signal, stdout, stderr }) => {
  if (failure !== undefined) return failure;
  if (isLate) return `it did not end within ${RUN_MS / 1_000} s`;
  return code === 0 ? undefined : `it ended with ${code ?? signal}: ${lastLines(stderr || stdout)}`;
};

const startAll = async (program, scenario, around) => {
  const { place, url, installed, node } = around;
  const tapped = scenario.isTapped ? place.tapped : undefined;
  const prepared = await program.prepare({
    place,
    url,
    dir: installed,
    node,
    prompt: PROMPT,
    tapped,
    isCold: scenario.isCold,
  });
  const one = { cwd: place.project, ...prepared, env: { ...place.env, ...prepared.env } };
  return Array.from({ length: scenario.processes ?? 1 }, () => startProgram(one, RUN_MS));
};

/** One scenario in a place of its own: what reached the ledger, what the model was shown, how the program ended. */
const play = async (program, scenario, { scratch, main, installed, node }) => {
  const { url, model, close } = await startModel(scenario.script);
  const place = makePlace(scratch, { main, url, ...(scenario.servers && { servers: scenario.servers }) });
  try {
    if (!scenario.isCold) await place.warmUp();
    const programs = await startAll(program, scenario, { place, url, installed, node });
    await scenario.during?.(place, programs);
    const ends = await Promise.all(programs.map(({ ended }) => ended));
    const leftovers = await endLeftovers(place.dir);
    const calls = await place.calls();
    const wrong = await place.verify();
    const { turns, outside, unknown } = model;
    if (process.env.KEEP_PLACES !== undefined)
      fs.writeFileSync(
        join(place.dir, 'seen.json'),
        JSON.stringify({ turns, outside, unknown, calls, ends, leftovers }, null, 1),
      );
    return {
      turns,
      outside,
      unknown,
      calls,
      leftovers,
      ends,
      methods: place.methods(),
      wrong,
      opensWith: program.opensWith,
    };
  } finally {
    await endLeftovers(place.dir);
    await close();
    if (process.env.KEEP_PLACES === undefined) fs.rmSync(place.dir, { recursive: true, force: true });
  }
};

/** The verdict of each check: `{ok: true}`, `{why}`, or `{known, why}` where the client is known to differ. */
const judge = (scenario, seen, { known = {}, isStrict = false }) =>
  Object.entries(scenario.checks)
    .filter(([name]) => name !== 'strict' || isStrict)
    .map(([name, check]) => {
      const why = check(seen) ?? seen.wrong;
      if (why === undefined) return [name, { ok: true }];
      const told = scenario.during === undefined ? seen.ends.map(endOf).find((end) => end !== undefined) : undefined;
      return [name, { why: told === undefined ? why : `${why}; ${told}`, ...(known[name] && { known: known[name] }) }];
    });

const broken = (scenario, thrown) =>
  Object.keys(scenario.checks).map((name) => [name, { why: thrown.stderr || thrown.message }]);

const scenariosOf = ({ without = [], opensWith }) =>
  Object.keys(SCENARIOS).filter(
    (name) => !without.includes(name) && (!SCENARIOS[name].isTapped || opensWith !== undefined),
  );

/** Whether an impatient client drops Colibri here without any slow server too. */
const tooBusy = async (program, scenario, around) => {
  const seen = await play(program, { ...scenario, servers: { behind: 0 } }, around).catch(() => undefined);
  const isLost = seen === undefined || seen.calls.length === 0;
  return isLost ? 'not decided: in this run it left Colibri out without any slow server, too' : undefined;
};

/** One scenario; once more if something unexpected was seen: a few failures may be a busy machine's. */
const attempt = async (program, name, around) => {
  const scenario = SCENARIOS[name];
  for (let tries = 1; ; tries++) {
    const seen = await play(program, scenario, around).catch((thrown) => ({ thrown }));
    const { ownTools, instructions } = around;
    const found = seen.thrown
      ? broken(scenario, seen.thrown)
      : judge(scenario, { ...seen, ownTools, instructions }, program);
    const isGood = found.every(([, { ok, known }]) => ok || known !== undefined);
    if (isGood) return { seen, verdicts: Object.fromEntries(found), tries };
    if (tries < TRIES && Date.now() < around.until) continue;
    const excuse = program.isImpatient && scenario.isCold ? await tooBusy(program, scenario, around) : undefined;
    const excused = found.map(([check, verdict]) => [
      check,
      verdict.ok ? verdict : { ...(excuse && { known: excuse }), ...verdict },
    ]);
    return { seen, verdicts: Object.fromEntries(excused), tries };
  }
};

const NOTES = ['outside', 'unknown', 'leftovers'];

/** All scenarios that the client takes part in; none is begun after `around.until`. */
export const tryClient = async (program, around) => {
  const names = scenariosOf(program).filter((one) => around.only === undefined || around.only.includes(one));
  const found = { verdicts: {}, seconds: {}, again: [] };
  const notes = Object.fromEntries([...NOTES, 'clients'].map((key) => [key, new Set()]));
  for (const name of names) {
    if (Date.now() > around.until) break;
    const began = Date.now();
    const { seen, verdicts, tries } = await attempt(program, name, around);
    Object.assign(found.verdicts, verdicts);
    found.seconds[name] = (Date.now() - began) / 1_000;
    if (tries > 1) found.again.push(name);
    for (const { client } of seen.calls ?? []) notes.clients.add(Object.values(client ?? {}).join(' '));
    for (const key of NOTES) for (const one of seen[key] ?? []) notes[key].add(one);
  }
  return { ...found, ...Object.fromEntries(Object.entries(notes).map(([key, values]) => [key, [...values]])) };
};
