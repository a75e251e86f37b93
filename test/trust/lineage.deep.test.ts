// Who may answer an approval: nobody whom a client of Colibri started, however it does that, as far as the system shows it. What it does not show
// stands in docs/approvals.md; the last test holds that it is so.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../support/process-list.js';
import { MAIN, type Message, type Peer, type Place, serve } from '../support/serve.js';
import { approvalsOf, approve, onOwnTerminal } from './answering.js';
import { errorOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

const AGENT = fileURLToPath(new URL('../children/agent-client.mjs', import.meta.url));
const CLIENT = 'A client that calls tools';

const askingWorld = () => worldWith([toolNamed('wipe')], { tools: { ask: ['wipe'] } });

/** A client of its own, in a session of its own, which starts Colibri by `command` and runs shell commands for its model. */
const agent = async (place: Place, command: readonly string[]) => {
  const peer: Peer = serve(place, { args: [AGENT, ...command], detached: true });
  await peer.until(() => peer.stderr.includes('store open after'), 30_000);
  return {
    peer,
    call: async (args: Message): Promise<Message> =>
      (await peer.request('tools/call', { name: 'far__wipe', arguments: args })).result,
    /** Runs a shell command as a child of the client; gives its output when it has ended. */
    shell: async (line: string): Promise<string> => (await peer.request('agent/shell', { line })).result.output,
    asked: async (args: Message): Promise<string> => {
      let id: string | undefined;
      await eventually('it asks', async () => {
        const { result } = await peer.request('tools/call', { name: 'far__wipe', arguments: args });
        id = errorOf(result ?? {})?.details?.approval_id;
        return id !== undefined;
      });
      return id ?? '';
    },
  };
};

/** Starts a command below as many shells as it is told. */
const DEEP = fileURLToPath(new URL('../children/nested.sh', import.meta.url));
const COLIBRI = `'${process.execPath}' '${MAIN}'`;
const onScript = (line: string): string => `script -qec "${line}" /dev/null`;

/** Ways in which an agent's shell could answer, all of them below the client. */
const SHELLS: Readonly<Record<string, (approve: string) => string>> = {
  'a pipe': (approve) => `echo 1234 | ${approve}`,
  'no input': (approve) => `${approve} < /dev/null`,
  'a terminal by script': onScript,
  'script in a script': (approve) => onScript(`script -qec '${approve.replaceAll("'", '')}' /dev/null`),
  nohup: (approve) => `nohup ${onScript(approve)}`,
  setsid: (approve) => `setsid --wait ${onScript(approve)}`,
  'setsid without a terminal': (approve) => `setsid --wait ${approve}`,
  'another program': (approve) => `env A=1 nice timeout 20 ${onScript(approve)}`,
  'below a hundred shells': (approve) => `sh '${DEEP}' 100 ${onScript(approve)}`,
  'in the background': (approve) => `(${onScript(approve)}) & wait`,
};

const starts = (place: Place): Readonly<Record<string, readonly string[]>> => {
  const wrapper = join(place.dir, 'start-colibri');
  writeFileSync(wrapper, `#!/bin/bash\nset -e\n${COLIBRI} serve\nexit $?\n`);
  chmodSync(wrapper, 0o755);
  return {
    directly: [process.execPath, MAIN, 'serve'],
    'by a shell': ['/bin/sh', '-c', `${COLIBRI} serve; exit $?`],
    'by a script of its own': [wrapper],
    'by env and timeout': ['/usr/bin/env', 'timeout', '600', process.execPath, MAIN, 'serve'],
  };
};

test.each(['directly', 'by a shell', 'by a script of its own', 'by env and timeout'])(
  'started %s: nothing below the client can answer',
  { timeout: 120_000 },
  async (how) => {
    const world = askingWorld();
    const { place } = world;
    const client = await agent(place, starts(place)[how] ?? []);
    const id = await client.asked({ path: how });
    for (const [name, by] of Object.entries(SHELLS)) {
      const output = await client.shell(by(`${COLIBRI} approve ${id}`));
      expect([name, output]).toEqual([name, expect.stringMatching(/A client that calls tools|no terminal/)]);
    }
    expect((await approvalsOf(place)).map(({ state }) => state)).toEqual(['asked']);
    expect(errorOf(await client.call({ path: how }))?.code).toBe('APPROVAL_REQUIRED');
    expect(world.calls()).toEqual([]);
    // A person beside the client can.
    expect((await approve(place, id)).code).toBe(0);
    expect((await client.call({ path: how })).isError).not.toBe(true);
    await client.peer.end();
  },
);

const NAMESPACES: readonly string[] = ['-Upf --mount-proc', '-Urpf --mount-proc', '-Urpfu --mount-proc'];
const mayUnshare = spawnSync('unshare', ['-Urpfu', '--mount-proc', 'true']).status === 0;

test.runIf(mayUnshare)(
  'nor in a namespace in which the client is not seen: not answer, not say who may vote',
  {
    timeout: 90_000,
  },
  async () => {
    const world = askingWorld();
    const { place } = world;
    const client = await agent(place, [process.execPath, MAIN, 'serve']);
    const id = await client.asked({ path: 'x' });
    for (const how of NAMESPACES) {
      const within = (line: string): string => `unshare ${how} ${onScript(line)}`;
      const output = await client.shell(within(`${COLIBRI} approve ${id}`));
      expect([how, output]).toEqual([how, expect.stringContaining('can be seen, so it cannot answer')]);
      const added = await client.shell(within(`${COLIBRI} voters add ada`));
      expect([how, added]).toEqual([how, expect.stringContaining('can be seen, so it cannot say who may vote')]);
    }
    expect((await approvalsOf(place)).map(({ state }) => state)).toEqual(['asked']);
    expect((await approve(place, id)).code).toBe(0);
    await client.peer.end();
  },
);

test('an agent that has somebody else ask cannot answer either, while its own client runs', {
  timeout: 90_000,
}, async () => {
  const world = askingWorld();
  const { place } = world;
  const client = await agent(place, [process.execPath, MAIN, 'serve']);
  const other = await trustClient(place, 'v1');
  await untilListed(other, 'far__wipe');
  const id = errorOf(await other.call('far__wipe', { path: 'x' }))?.details.approval_id;
  await other.close();
  expect(await client.shell(onScript(`${COLIBRI} approve ${id}`))).toContain(CLIENT);
  expect(await client.asked({ path: 'x' })).toBe(id);
  expect(world.calls()).toEqual([]);
  await client.peer.end();
});

test('what is not promised: a process that left the family of its client is nobody`s child', {
  timeout: 60_000,
}, async () => {
  const world = askingWorld();
  const { place } = world;
  const client = await trustClient(place, 'v1', { isAsker: true });
  await untilListed(client, 'far__wipe');
  const id = errorOf(await client.call('far__wipe'))?.details.approval_id;
  expect(await onOwnTerminal(place, ['approve', id])).toMatchObject({ code: 1, text: expect.stringContaining(CLIENT) });
  // A double fork: the parent ends, and the child is adopted.
  const out = join(place.dir, 'orphan.log');
  const child = spawn(
    'bash',
    ['-c', `(sleep 1; timeout 20 ${onScript(`${COLIBRI} approve ${id}`)} > '${out}' 2>&1 < /dev/null) & exit 0`],
    {
      cwd: place.dir,
      env: place.env,
      stdio: 'ignore',
    },
  );
  await once(child, 'exit');
  await eventually('it asks for digits', () => existsSync(out) && readFileSync(out, 'utf8').includes('Type '));
  expect(readFileSync(out, 'utf8')).not.toContain(CLIENT);
  expect(errorOf(await client.call('far__wipe'))?.code).toBe('APPROVAL_REQUIRED');
  await client.close();
});
