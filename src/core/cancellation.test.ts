import { expect, it } from 'vitest';
import { cancelledBy, LazyCancellation } from './cancellation.js';

it('tells a signal that was asked for before', () => {
  const cancellation = new LazyCancellation();
  const { signal } = cancellation;
  expect([cancellation.aborted, signal.aborted]).toEqual([false, false]);
  cancellation.abort();
  expect([cancellation.aborted, signal.aborted]).toEqual([true, true]);
  expect(cancellation.signal).toBe(signal);
});

it('tells a signal that is asked for afterwards', () => {
  const cancellation = new LazyCancellation();
  cancellation.abort();
  expect([cancellation.aborted, cancellation.signal.aborted]).toEqual([true, true]);
});

it('follows a signal of somebody else', () => {
  const controller = new AbortController();
  const cancellation = cancelledBy(controller.signal);
  expect(cancellation.aborted).toBe(false);
  controller.abort();
  expect(cancellation.aborted).toBe(true);
});

const KINDS = [
  ['ours', () => new LazyCancellation()],
  [
    'a signal',
    () => {
      const controller = new AbortController();
      return Object.assign(cancelledBy(controller.signal), { abort: () => controller.abort() });
    },
  ],
] as const;

it.each(KINDS)('tells listeners once, unless they took it back: %s', (_, make) => {
  const cancellation = make();
  const heard: string[] = [];
  cancellation.listen(() => heard.push('a'));
  const unlisten = cancellation.listen(() => heard.push('b'));
  unlisten();
  cancellation.abort();
  cancellation.abort();
  expect(heard).toEqual(['a']);
});

it.each(KINDS)('what a listener takes back is not told, what it adds is too late: %s', (_, make) => {
  const cancellation = make();
  const heard: string[] = [];
  cancellation.listen(() => {
    heard.push('a');
    unlisten();
    cancellation.listen(() => heard.push('c'));
  });
  const unlisten = cancellation.listen(() => heard.push('b'));
  cancellation.abort();
  cancellation.listen(() => heard.push('d'));
  cancellation.abort();
  expect(heard).toEqual(['a']);
});
