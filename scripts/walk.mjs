// Which files of ours a warm call passes, in order: `node scripts/walk.mjs`, after `npm run build`.
//   --json            for a program
//   --modules FOLDER  other built modules than build/
// A file counts if a function of it ran in each of several equal calls on a process of single modules (V8 coverage), so that what a
// timer does meanwhile does not count. The order is that of several more calls: in one of them a timer may have come first.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { leaveNothing } from '../bench/belongings.mjs';
import { BARE, inFolder, withServer } from '../bench/servers.mjs';

const { values: options } = parseArgs({ options: { json: { type: 'boolean' }, modules: { type: 'string' } } });
const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const modules = resolve(options.modules ?? at('../build'));
const under = `${pathToFileURL(modules).href}/`;

const WARM_UP = 200;
const LOOKS = 5;
/** After its answer a call may still be writing. */
const SETTLE_MS = 50;

/** One question to scripts/walk/inside.mjs. @param {string} path @param {object} question @returns {Promise<any>} */
const asked = (path, question) =>
  new Promise((done, fail) => {
    let text = '';
    const socket = connect(path, () => socket.write(`${JSON.stringify(question)}\n`));
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => done(JSON.parse(text))).on('error', fail);
  });

/** @param {import('../bench/client.mjs').Client} client @param {string} name @param {object} [args] */
const call = async (client, name, args = {}) => {
  const result = await client.request('tools/call', { name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent?.data;
};

/** The same call every time: a task gets another title. */
const taskUpdate = async (/** @type {any} */ client) => {
  const { task_id } = await call(client, 'task_create', { title: 'walk' });
  let times = 0;
  return () => call(client, 'task_update', { task_id, title: `walk ${++times % 10}` });
};

const proxied = async (/** @type {any} */ client) => {
  for (let tries = 0; ; tries++) {
    const { tools } = await client.request('tools/list');
    if (tools.some((/** @type {any} */ { name }) => name === 'far__server_ping')) break;
    if (tries > 100) throw new Error('the server behind Colibri does not come up');
    await sleep(100);
  }
  return () => call(client, 'far__server_ping');
};

/** Sorts files by their median place in several orders; a file that is in none of them comes last. @param {string[][]} orders */
const byMedianPlace = (orders) => {
  const placeOf = (/** @type {string} */ file) =>
    orders
      .map((order) => order.indexOf(`${under}${file}`))
      .map((place) => (place < 0 ? Number.MAX_SAFE_INTEGER : place))
      .sort((a, b) => a - b)[orders.length >> 1] ?? 0;
  return (/** @type {string} */ a, /** @type {string} */ b) => placeOf(a) - placeOf(b);
};

/** @param {(client: any) => Promise<() => Promise<unknown>>} prepare */
const walk = (prepare) =>
  inFolder(async (folder) => {
    const socket = join(folder, 'walk');
    const board = join(folder, 'servers.json');
    writeFileSync(board, JSON.stringify({ mcpServers: { far: { command: process.execPath, args: BARE } } }));
    const extra = {
      program: [join(modules, 'cli/main.js'), 'serve'],
      nodeArgs: ['--import', at('walk/inside.mjs')],
      env: { WALK_SOCKET: socket, COLIBRI_SWITCHBOARD: board },
    };
    return withServer('ours', folder, extra, async (client) => {
      const once = await prepare(client);
      for (let i = 0; i < WARM_UP; i++) await once();
      const looks = [];
      for (let i = 0; i < LOOKS; i++) {
        await sleep(SETTLE_MS);
        await asked(socket, { name: 'taken', under });
        await once();
        await sleep(SETTLE_MS);
        looks.push(await asked(socket, { name: 'taken', under }));
      }
      const always = looks[0].filter(({ url }) => looks.every((look) => look.some((one) => one.url === url)));
      await asked(socket, { name: 'mark', files: always });
      const orders = [];
      for (let i = 0; i < LOOKS; i++) {
        await asked(socket, { name: 'order' });
        await once();
        await sleep(SETTLE_MS);
        orders.push(await asked(socket, { name: 'order' }));
      }
      return always.map(({ url }) => url.slice(under.length)).sort(byMedianPlace(orders));
    });
  });

/** Lines of the source, where it is there: the newest build has it beside it. @param {string} file */
const linesOf = (file) => {
  try {
    return readFileSync(join(modules, '../src', file.replace(/\.js$/, '.ts')), 'utf8').split('\n').length - 1;
  } catch {
    return undefined;
  }
};

process.once('exit', leaveNothing);
const walks = { task_update: await walk(taskUpdate), 'a proxied call': await walk(proxied) };
if (options.json) console.log(JSON.stringify(walks));
else {
  for (const [name, files] of Object.entries(walks)) {
    console.log(`${name} passes ${files.length} files:`);
    for (const [i, file] of files.entries()) {
      const lines = linesOf(file);
      console.log(
        `${String(i + 1).padStart(4)}  ${file.replace(/\.js$/, '.ts')}${lines === undefined ? '' : `, ${lines} lines`}`,
      );
    }
    console.log('');
  }
}
