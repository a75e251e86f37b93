// After `colibri init --import`, the first list of a new process shows the tools of the servers that moved, although they are still starting.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type ClientHome, clientHome } from '../support/client-home.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { CLIENT_KINDS, type ClientKind, connect } from '../support/serve.js';
import { everything, memory } from '../support/switchboard-file.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

/** Cursor with the two official servers, each started by a script that a test can replace. */
const withServers = (): { at: ClientHome; silence: () => void } => {
  const at = clientHome();
  const scripts = { everything: everything(), memory: memory(at.place) };
  const entries = Object.entries(scripts).map(([name, { args, env }]) => {
    const [main = '', ...rest] = args as string[];
    const script = at.write(`servers/${name}.mjs`, `await import(${JSON.stringify(main)});`);
    return [name, { command: 'node', args: [script, ...rest], env }] as const;
  });
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const silence = (): void => {
    for (const [, { args }] of entries) fs.writeFileSync(args[0] ?? '', 'process.stdin.resume();');
  };
  return { at, silence };
};

const triedIn = (at: ClientHome): string[] =>
  fs.existsSync(join(at.state, 'tried')) ? fs.readdirSync(join(at.state, 'tried')) : [];

/** The names of servers' tools in the first list that a new process, with a new store, gives to a client of this kind. */
const firstList = async (at: ClientHome, kind: ClientKind, db: string): Promise<string[]> => {
  const client = await connect(at.place, kind, { CLAUDE_PROJECT_DIR: at.project, COLIBRI_DB_PATH: db });
  // A list waits only briefly for a new store and for the switchboard's code, and on a busy machine both take long.
  await eventually('the store is open', async () => receiptOf(await client.callTool('server_ping', {})) !== undefined);
  await eventually('the switchboard is there', async () => {
    const { isError, content } = await client.callTool('router_score', { tool: 'everything__echo' });
    return isError !== true || content[0].text.includes('INVALID_PARAMS');
  });
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name).filter((name) => name.includes('__'));
};

export const firstListAfterImport = (): void =>
  test('the first list shows what moved before any server has answered, in both eras', async () => {
    const { at, silence } = withServers();
    const ran = await at.run(['init', '--client', 'cursor', '--import', '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(triedIn(at)).toHaveLength(2);
    expect(fs.existsSync(join(at.project, '.colibri', 'colibri.db'))).toBe(false);
    silence();
    for (const kind of CLIENT_KINDS) {
      const db = join(at.place.dir, `${kind}.db`);
      const names = await firstList(at, kind, db);
      expect(names, kind).toEqual(expect.arrayContaining(['everything__echo', 'memory__read_graph']));
      const { records } = new Ledger(db);
      const recorded = records.filter((record) => record.kind === 'catalogue').map(({ body }) => body.server);
      expect(recorded.toSorted(), kind).toEqual(['everything', 'memory']);
      const verified = await at.run(['verify', '--db', db]);
      expect(verified.code, verified.stdout).toBe(0);
    }
  });

export const firstListAfterUndo = (): void =>
  test('a dry run stores nothing; undo removes the lists, and then nothing is listed before a server has answered', async () => {
    const { at, silence } = withServers();
    const args = ['init', '--client', 'cursor', '--import', '--yes'];
    expect((await at.run([...args, '--dry-run'])).code).toBe(0);
    expect(triedIn(at)).toEqual([]);
    expect((await at.run(args)).code).toBe(0);
    const board = at.read('home/config/colibri/switchboard.json');
    expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
    expect(fs.existsSync(join(at.state, 'tried'))).toBe(false);
    at.write('home/config/colibri/switchboard.json', board);
    silence();
    expect(await firstList(at, 'v2 modern', join(at.place.dir, 'new.db'))).toEqual([]);
  });
