// The switchboard over backends that do nothing by themselves: what is listed, found, applied and announced.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseSwitchboard } from '../../src/switchboard/config/config.js';
import { Switchboard } from '../../src/switchboard/front/switchboard.js';
import type { HealthState, Hold } from '../../src/switchboard/health/state.js';
import { SWITCHBOARD_LIMITS } from '../../src/switchboard/limits.js';
import type { Served } from '../../src/switchboard/server/backend.js';
import type { BackendConfig } from '../../src/switchboard/server/world.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const definition = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });

/** A backend by hand. */
class Fake {
  readonly configs: BackendConfig[];
  tools: string[] | undefined;
  state: string = 'STARTING';
  hidden = false;
  isRemoved = false;
  isClosed = false;

  constructor(config: BackendConfig, remembered: readonly string[] | undefined) {
    this.configs = [config];
    this.tools = remembered && [...remembered];
  }

  served(): Served {
    const self = this;
    return {
      get name() {
        return self.configs[0]?.name ?? '';
      },
      get state() {
        return { state: self.state } as HealthState;
      },
      link: undefined,
      peers: [],
      get catalogueDigest() {
        return self.tools === undefined ? null : self.tools.join();
      },
      tools: () =>
        new Map(
          (self.tools ?? []).map((name) => [
            name,
            { name, definition: definition(name), readOnly: false, idempotent: false },
          ]),
        ),
      asks: () => false,
      heldChange: () => undefined,
      review: () => {},
      mayList: () => (self.hidden ? { may: false, reason: 'hidden', text: '', retryAfterMs: 0 } : { may: true }),
      call: async (tool) => ({ kind: 'result', result: { said: tool }, tries: [] }),
      ask: async (method) => ({ kind: 'result', result: { said: method }, tries: [] }),
      answer: async () => ({}),
      obey: () => {},
      reconfigure: (config) => void self.configs.push(config),
      remove: async () => {
        self.isRemoved = true;
      },
      close: async () => {
        self.isClosed = true;
      },
      snapshot: () => ({}) as ReturnType<Served['snapshot']>,
    };
  }
}

const setup = (servers: object, more: { remembered?: Record<string, string[]>; hold?: Hold } = {}) => {
  const fakes = new Map<string, Fake>();
  const lines: string[] = [];
  const board = { text: JSON.stringify({ mcpServers: servers }), hold: more.hold ?? null };
  const switchboard = new Switchboard({
    read: () => parseSwitchboard(board.text, { file: '/f.json', env: {}, configDir: '/' }),
    consent: () => ({ holdOf: () => board.hold }),
    makeBackend: (config, remembered) => {
      const fake = new Fake(
        config,
        remembered?.map(({ name }) => name),
      );
      fakes.set(config.name, fake);
      return fake.served();
    },
    renewal: () => ({}),
    remembered: async ({ name }) => {
      const tools = more.remembered?.[name];
      return tools?.map((tool) => ({ name: tool }));
    },
    onConfig: () => {},
    ownNames: () => ['server_ping', 'echo'],
    keepDefinition: () => {},
    nowMs: () => performance.now(),
    log: (level, text) => void lines.push(`${level} ${text}`),
  });
  const save = (value: object | string) => {
    board.text = typeof value === 'string' ? value : JSON.stringify({ mcpServers: value });
    return switchboard.servers.apply();
  };
  const fake = (name: string): Fake => {
    const found = fakes.get(name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  const seen = (name: string, ...tools: string[]) => {
    Object.assign(fake(name), { tools, state: 'HEALTHY' });
    switchboard.refresh();
  };
  const names = async () => (await switchboard.listed(SWITCHBOARD_LIMITS.firstListMs)).map((tool) => tool.name);
  return { switchboard, board, fake, fakes, lines, save, seen, names };
};

const A = { command: 'a' };

describe('the list', () => {
  test('is in the order of the file, names sorted, ours left out', async () => {
    const { switchboard, seen, names } = setup({ z: A, a: { ...A, prefix: false } });
    await switchboard.servers.apply();
    seen('z', 'two', 'one');
    seen('a', 'echo', 'free');
    expect(await names()).toEqual(['z__one', 'z__two', 'a__echo', 'free']);
  });

  test('comes at once from memory', async () => {
    const { switchboard, names } = setup({ a: A }, { remembered: { a: ['t'] } });
    await switchboard.servers.apply();
    expect(await names()).toEqual(['a__t']);
  });

  test('waits for a server nobody remembers, two seconds, once', async () => {
    const { switchboard, names } = setup({ a: A });
    await switchboard.servers.apply();
    const first = names();
    let isAnswered = false;
    void first.then(() => {
      isAnswered = true;
    });
    await vi.advanceTimersByTimeAsync(1_900);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await first).toEqual([]);
    expect(await names()).toEqual([]);
  });

  test('comes as soon as the last server has said what it has', async () => {
    const { switchboard, seen, names } = setup({ a: A, b: A });
    await switchboard.servers.apply();
    const answered: string[][] = [];
    void names().then((list) => answered.push(list));
    seen('a', 't');
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toEqual([]);
    seen('b', 't');
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toEqual([['a__t', 'b__t']]);
  });

  test('does not wait for a server that has failed', async () => {
    const { switchboard, fake, names } = setup({ a: A });
    await switchboard.servers.apply();
    fake('a').state = 'UNHEALTHY';
    switchboard.refresh();
    expect(await names()).toEqual([]);
  });

  test('leaves out what is hidden; it is still found', async () => {
    const { switchboard, seen, fake, names } = setup({ a: A, b: A });
    await switchboard.servers.apply();
    seen('a', 't');
    seen('b', 't');
    fake('a').hidden = true;
    expect(await names()).toEqual(['b__t']);
    expect(await switchboard.find('a__t')).toBeDefined();
  });
});

describe('a saved file', () => {
  test('changes only what it changes', async () => {
    const { switchboard, save, seen, fake, names } = setup({ a: A, b: A });
    await switchboard.servers.apply();
    seen('a', 't');
    seen('b', 't');
    const old = fake('b');
    await save({ a: A, c: A, b: { ...A, timeoutMs: 2_000 } });
    expect(fake('a').configs).toHaveLength(1);
    expect(old.configs.map(({ timeoutMs }) => timeoutMs)).toEqual([50_000, 2_000]);
    seen('c', 't');
    expect(await names()).toEqual(['a__t', 'c__t', 'b__t']);
    await save({ c: A });
    expect([old.isRemoved, fake('a').isRemoved, fake('c').isRemoved]).toEqual([true, true, false]);
    expect(await names()).toEqual(['c__t']);
    // Who still calls it is told by what was its server.
    expect(await switchboard.find('a__t')).toBeDefined();
  });

  test('that is broken leaves everything as it is', async () => {
    const { switchboard, save, seen, fake, names, lines } = setup({ a: A });
    await switchboard.servers.apply();
    seen('a', 't');
    await save('{ "mcpServers": { "a": { "command": 1 } } }');
    expect(await names()).toEqual(['a__t']);
    expect(fake('a').isRemoved).toBe(false);
    expect(switchboard.servers.problems).toContainEqual(
      expect.stringMatching(/^\/f\.json:1:\d+ mcpServers\.a\.command: /),
    );
    expect(lines.some((line) => line.startsWith('error /f.json:1:'))).toBe(true);
    await save({ a: A });
    expect(switchboard.servers.problems).toEqual([]);
  });

  test('that is saved again meanwhile waits: nothing is started twice', async () => {
    const { switchboard, fakes, save } = setup({ a: A });
    const started = vi.spyOn(fakes, 'set');
    await Promise.all([switchboard.servers.apply(), switchboard.servers.apply(), save({ a: A, b: A })]);
    expect(started.mock.calls.map(([name]) => name)).toEqual(['a', 'b']);
  });

  test('a hold that is lifted reaches its server', async () => {
    const { switchboard, board, fake, lines } = setup({ a: A }, { hold: 'not_approved' });
    await switchboard.servers.apply();
    expect(lines.join()).toContain('colibri switchboard approve');
    board.hold = null;
    await switchboard.servers.apply();
    expect(fake('a').configs.map(({ hold }) => hold)).toEqual(['not_approved', null]);
  });
});

describe('changes are announced', () => {
  test('once a second, and only if somebody has asked', async () => {
    const { switchboard, seen, names } = setup({ a: A }, { remembered: { a: ['t'] } });
    let told = 0;
    switchboard.announcer.listen(() => told++);
    await switchboard.servers.apply();
    seen('a', 't', 'u');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told).toBe(0);
    await names();
    seen('a', 't', 'v');
    await vi.advanceTimersByTimeAsync(10);
    expect(told).toBe(1);
    seen('a', 't', 'w');
    seen('a', 't', 'x');
    await vi.advanceTimersByTimeAsync(900);
    expect(told).toBe(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(told).toBe(2);
    seen('a', 't', 'x');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told).toBe(2);
  });
});

test('the end closes every server', async () => {
  const { switchboard, fake } = setup({ a: A, b: A });
  await switchboard.servers.apply();
  await switchboard.close();
  expect([fake('a').isClosed, fake('b').isClosed]).toEqual([true, true]);
});

test('after the end a saved file starts nothing', async () => {
  const { switchboard, fakes, save } = setup({ a: A });
  await switchboard.servers.apply();
  await switchboard.close();
  await save({ a: A, b: A });
  expect([...fakes.keys()]).toEqual(['a']);
});
