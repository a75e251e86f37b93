// How many calls there were when, as bars.
import { type CallEntry, endedBadly } from '../model/calls.js';
import { isTime } from '../model/read.js';
import { type Child, h, svg } from './dom.js';
import { PAGE_LIMITS } from './limits.js';
import { countOf, figureOf, wholeMoment } from './words.js';

interface Bars {
  readonly all: number[];
  readonly bad: number[];
}

const barsOf = (calls: readonly CallEntry[], from: number, to: number): Bars => {
  const all = Array.from({ length: PAGE_LIMITS.timelineBars }, () => 0);
  const bad = Array.from({ length: PAGE_LIMITS.timelineBars }, () => 0);
  for (const call of calls) {
    const at = Math.min(
      PAGE_LIMITS.timelineBars - 1,
      Math.max(0, Math.floor(((Date.parse(call.at) - from) / Math.max(1, to - from)) * PAGE_LIMITS.timelineBars)),
    );
    all[at] = (all[at] ?? 0) + 1;
    if (endedBadly(call)) bad[at] = (bad[at] ?? 0) + 1;
  }
  return { all, bad };
};

const STAMP_CHARS = 'YYYY-MM-DD HH:MM:SS'.length;

/** How many calls there were when, with those that did not end well. The list below says the same, so a screen reader gets one sentence. */
export const timeline = (all: readonly CallEntry[]): Child => {
  const calls = all.filter(({ at }) => isTime(at));
  const [last, first] = [calls[0], calls.at(-1)];
  if (first === undefined || last === undefined || calls.length < 2) return null;
  const times = calls.map(({ at }) => Date.parse(at));
  const [from, to] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const bars = barsOf(calls, from, to);
  const most = Math.max(...bars.all, 1);
  const bar = (counts: readonly number[], kind: string): SVGElement[] =>
    counts.flatMap((n, i) => {
      const high = n === 0 ? 0 : Math.max(2, (n / most) * PAGE_LIMITS.timelineHeight);
      return n === 0
        ? []
        : [
            svg('rect', {
              class: kind,
              x: i * 10 + 1,
              y: PAGE_LIMITS.timelineHeight - high,
              width: 8,
              height: high,
              rx: 1,
            }),
          ];
    });
  const label = `${countOf(calls.length, 'call')} from ${wholeMoment(first.at)} to ${wholeMoment(last.at)}, ${figureOf(calls.filter(endedBadly).length)} of them did not end well`;
  return h(
    'figure',
    { class: 'timeline' },
    svg(
      'svg',
      {
        viewBox: `0 0 ${PAGE_LIMITS.timelineBars * 10} ${PAGE_LIMITS.timelineHeight}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': label,
      },
      bar(bars.all, 'bar'),
      bar(bars.bad, 'bar bad'),
    ),
    h(
      'figcaption',
      {},
      h('span', {}, wholeMoment(new Date(from).toISOString()).slice(0, STAMP_CHARS)),
      h('span', {}, wholeMoment(new Date(to).toISOString()).slice(0, STAMP_CHARS)),
    ),
  );
};
