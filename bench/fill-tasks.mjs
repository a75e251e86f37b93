// A store with many tasks, for measuring: the product creates and migrates the file, then the rows go straight in, as
// task_create, task_update and claims would have left them. Only the evidence is dummy text: such a store does not
// verify. `node bench/fill-tasks.mjs <folder> <tasks>` makes one to look at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { isTerminal, stageOf } from '../build/domains/tasks/state-machine.js';
import { rankOf } from '../build/domains/tasks/task.js';
import { databaseIn, withServer } from './servers.mjs';

/** Half of the tasks are in this project; whoever uses the store works in it. */
export const PROJECT = 'hive';
/** Declared by the project's file, so that a copy of the folder elsewhere is the same project. */
const PROJECT_ID = '5eed'.repeat(8);
export const FILTERS = { status: 'DONE', priority: 'normal', assignee: 'ada' };
const LEASED_SHARE = 0.01;
/** Of a task that is ready: few enough that the leases run through most of the table. */
const LEASE_CHANCE = 0.03;
const DEPENDENT_SHARE = 0.2;
const MOST_DEPENDENCIES = 3;
/** Dependencies are among so many tasks before it, as they are in real plans. */
const REACH = 40;
const CACHE_KB = 2 ** 20;
const DAY_MS = 86_400_000;
const LEASE_MINUTES = 1440;

/** @typedef {readonly (readonly [value: any, share: number])[]} Mix */
/** @type {Record<string, Mix>} */
const MIX = {
  status: [
    ['DONE', 0.5],
    ['INIT', 0.3],
    ['GATHER', 0.05],
    ['ANALYZE', 0.04],
    ['PLAN', 0.04],
    ['APPLY', 0.03],
    ['VERIFY', 0.02],
    ['CANCELLED', 0.02],
  ],
  priority: [
    ['normal', 0.5],
    ['low', 0.25],
    ['high', 0.2],
    ['urgent', 0.05],
  ],
  project: [[PROJECT, 0.5], ...['moss', 'fern', 'reed', null].map((name) => /** @type {const} */ ([name, 0.125]))],
  assignee: [
    ['ada', 0.4],
    ...['bob', 'cyd', 'dan', 'eve'].map((name) => /** @type {const} */ ([name, 0.1])),
    [null, 0.2],
  ],
};

/** mulberry32: the same store every time. */
const randomFrom = (/** @type {number} */ seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

/** @param {Mix} mix @param {number} drawn */
const pick = (mix, drawn) => {
  let left = drawn;
  const found = mix.find(([, share]) => {
    left -= share;
    return left < 0;
  });
  return (found ?? mix[0])?.[0];
};

/** What had to be DONE before a task could get where it is. */
const NEEDS_DONE = new Set(['APPLY', 'VERIFY', 'DONE']);

/**
 * Numbers of earlier tasks that this one may depend on.
 * @param {number} n @param {string} status @param {readonly string[]} statuses @param {() => number} random
 */
const dependenciesFor = (n, status, statuses, random) => {
  if (n <= REACH || random() >= DEPENDENT_SHARE) return [];
  const chosen = new Set();
  const wanted = 1 + Math.floor(random() * MOST_DEPENDENCIES);
  for (let tries = 0; chosen.size < wanted && tries < REACH; tries++) {
    const on = n - 1 - Math.floor(random() * REACH);
    if (!NEEDS_DONE.has(status) || statuses[on] === 'DONE') chosen.add(on);
  }
  return [...chosen];
};

/** @param {Record<string, unknown>} row */
const insertInto = (/** @type {string} */ table, row) => {
  const columns = Object.keys(row);
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`;
};

/** @param {string | null} project */
const whose = (project) =>
  project === PROJECT
    ? { project_id: PROJECT_ID, owner: PROJECT_ID }
    : { project_id: null, owner: project === null ? null : `=${project}` };

/** @param {number} n @param {() => number} random @param {number} nowMs */
const drawTask = (n, random, nowMs) => {
  const drawn = Object.fromEntries(Object.entries(MIX).map(([column, mix]) => [column, pick(mix, random())]));
  const title = `Check the ${n % 7 === 0 ? 'honey' : 'nectar'} of comb ${n}`;
  const description = `Measure comb ${n}, write down what was found and compare it with the day before.`;
  const at = new Date(nowMs - DAY_MS * (1 + random() * 100)).toISOString();
  return {
    n,
    title,
    description: n % 2 === 0 ? description : null,
    ...drawn,
    ...whose(drawn.project),
    attempt: 1,
    version: 1,
    created_at: at,
    updated_at: at,
    idempotency_key: null,
    request_digest: null,
    call_no: n,
    salt: 'bench',
    seq: n,
    terminal: isTerminal(drawn.status) ? 1 : 0,
    priority_rank: rankOf(drawn.priority),
    stage: stageOf(drawn.status),
    search_text: `${title}\n${n % 2 === 0 ? description : ''}`.toLowerCase(),
  };
};

/** @param {number} n @param {string} log @param {string} holder @param {number} endMs */
const leaseOf = (n, log, holder, endMs) => ({
  task_n: n,
  token: 1,
  holder,
  until: new Date(endMs).toISOString(),
  minutes: LEASE_MINUTES,
  released: 0,
  rev: 1,
  salt: 'bench',
  log_id: log,
  seq: n,
  flagged: 1,
});

/**
 * The rows of a store with so many tasks, each after those that it names.
 * @param {number} count @param {string} log @returns {Generator<{ table: string, row: Record<string, any> }>}
 */
export function* drawRows(count, log) {
  const random = randomFrom(1);
  const nowMs = Date.now();
  /** @type {string[]} */
  const statuses = [];
  let leasesLeft = count * LEASED_SHARE;
  for (let n = 1; n <= count; n++) {
    const task = drawTask(n, random, nowMs);
    const { status, assignee } = task;
    statuses[n] = status;
    const dependsOn = dependenciesFor(n, status, statuses, random);
    const openDeps = dependsOn.filter((on) => statuses[on] !== 'DONE').length;
    // Drawn for every task, so that a small store is the beginning of a large one.
    const [chance, time] = [random(), random()];
    const ready = task.terminal === 0 && openDeps === 0;
    const leased = ready && assignee !== null && chance < LEASE_CHANCE && leasesLeft >= 1;
    yield { table: 'tasks', row: { ...task, log_id: log, open_deps: openDeps, leased: leased ? 1 : 0 } };
    for (const on of dependsOn) yield { table: 'task_dependencies', row: { task_n: n, depends_on_n: on } };
    if (!leased) continue;
    leasesLeft -= 1;
    yield { table: 'leases', row: leaseOf(n, log, assignee, nowMs + DAY_MS * (0.25 + time * 0.75)) };
  }
}

/** @param {import('better-sqlite3').Database} db @param {number} count */
const insertRows = (db, count) => {
  const log = String(db.prepare('SELECT log_id FROM logs LIMIT 1').pluck().get());
  /** @type {Map<string, import('better-sqlite3').Statement>} */
  const statements = new Map();
  for (const { table, row } of drawRows(count, log)) {
    const made = statements.get(table) ?? db.prepare(insertInto(table, row));
    statements.set(table, made);
    made.run(row);
  }
};

/** One transaction, no journal: a file that is lost on a crash is made again. @param {string} file @param {number} count */
const fillTasks = (file, count) => {
  const db = new Database(file, { fileMustExist: true });
  try {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    db.pragma(`cache_size = -${CACHE_KB}`);
    db.transaction(() => insertRows(db, count))();
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
};

/** What a server on such a store is started with. @param {string} folder */
export const taskStoreEnv = (folder) => ({ COLIBRI_PROJECT_DIR: join(folder, PROJECT) });

/** Makes the folder of the project that uses such a store. @param {string} folder */
export const makeProject = (folder) => {
  for (const inner of ['.git', '.colibri']) mkdirSync(join(folder, PROJECT, inner), { recursive: true });
  const declared = JSON.stringify({ version: 1, project_id: PROJECT_ID });
  writeFileSync(join(folder, PROJECT, '.colibri', 'project.json'), declared);
};

/** @param {string} folder @param {number} count */
export const makeTaskStore = async (folder, count) => {
  makeProject(folder);
  await withServer('ours', folder, { env: taskStoreEnv(folder) }, async () => {});
  fillTasks(databaseIn(folder), count);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, count] = process.argv.slice(2);
  if (folder === undefined || !(Number(count) >= 1)) {
    console.error('usage: node bench/fill-tasks.mjs <folder> <tasks>');
    process.exit(2);
  }
  await makeTaskStore(folder, Number(count));
  console.log(databaseIn(folder));
}
