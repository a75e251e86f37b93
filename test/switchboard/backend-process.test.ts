// A backend over real processes: one crash is one event, calls go on with the next process, nothing is left in the end.

import { expect, it, onTestFinished } from 'vitest';
import { cancelledBy } from '../../src/core/cancellation.js';
import type { Transition } from '../../src/switchboard/health/event.js';
import { replay } from '../../src/switchboard/health/machine.js';
import { Backend } from '../../src/switchboard/server/backend.js';
import { InputSeal } from '../../src/switchboard/server/input-state.js';
import type { BackendConfig, BackendDeps } from '../../src/switchboard/server/world.js';
import { linkPlace, until } from '../support/dial.js';
import { isThere } from '../support/process-list.js';
import { codeOf, configOf } from './backend-rig.js';

const realBackend = (config: BackendConfig, more: Pick<BackendDeps, 'dial'>) => {
  const transitions: Transition[] = [];
  const backend = new Backend(config, {
    recordedCheck: (_check, send) => send(),
    nowMs: () => performance.now(),
    wallMs: () => Date.now(),
    random: Math.random,
    setTimer: (ms, fire) => {
      const timer = setTimeout(fire, ms).unref();
      return { cancel: () => clearTimeout(timer) };
    },
    onTransition: (one) => transitions.push(one),
    onCatalogue: () => {},
    warn: () => {},
    seal: new InputSeal(),
    client: () => undefined,
    heard: ({ capabilities, logLevel }) => ({ capabilities, logLevel }),
    ...more,
  });
  onTestFinished(() => backend.close());
  return { backend, transitions };
};

it('goes on after a crash, and ends with its process', async () => {
  const place = linkPlace();
  const { backend, transitions } = realBackend(configOf({ tools: { readOnly: ['hang'] } }), {
    dial: place.fake('plain'),
  });
  const first = backend.call('echo', { n: 1 }, { id: 'a' });
  expect(await first).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text: '{"n":1}' }] } });
  const { pid } = backend.link ?? {};
  if (pid === undefined) throw new Error('no process');
  await backend.call('grow', {}, { id: 'b' });
  await until(() => backend.tools().size === 6);
  const hanging = [backend.call('hang', {}, { id: 'c', cancellation: cancelledBy(AbortSignal.timeout(4_000)) })];
  await until(() => place.log().some((line) => line.endsWith('hanging')));
  process.kill(pid, 'SIGKILL');
  await until(() => backend.state?.state === 'HEALTHY' && backend.link?.pid !== pid);
  const second = await backend.call('echo', { n: 2 }, { id: 'd' });
  expect(codeOf(second)).toBe('result');
  // Read-only, so it was sent again, to the new process, where it hangs until it is cancelled.
  expect((await Promise.all(hanging)).map(codeOf)).toEqual(['cancelled sent']);
  expect(place.log().filter((line) => line.endsWith('hanging'))).toHaveLength(2);
  expect(transitions.map(({ to }) => to)).toEqual(['HEALTHY', 'STARTING', 'HEALTHY']);
  expect(replay(transitions)).toEqual([]);
  const last = backend.link?.pid ?? 0;
  await backend.close();
  expect([isThere(pid), isThere(last)]).toEqual([false, false]);
});

it('a command that is not there is a failed dial', async () => {
  const place = linkPlace();
  const { backend } = realBackend(configOf(), { dial: place.stdio('no-such-command', []) });
  const call = await backend.call('echo', {}, { id: 'a' });
  expect(codeOf(call)).toBe('TOOL_UNAVAILABLE');
  expect(backend.state).toMatchObject({ state: 'UNHEALTHY', reason: { code: 'spawn_error' } });
});
