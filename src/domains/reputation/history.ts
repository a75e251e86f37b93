// The tool reputation_history: the events behind a score, the newest first, each with the record that it follows from.
import * as z from 'zod';
import { arg, defineTool, reading } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { decodeCursor, encodeCursor, fitPage } from '../page.js';
import { countShape, cursorMeaning, flagField, limitMeaning, nextCursor, pattern, textField, time } from '../shapes.js';
import { type EventRow, eventsAfter } from './repository.js';
import { basisOf, basisShape, domainField, epochAsked, nodeField } from './shapes.js';

const shownEvent = ({ at, good, why, log_id, seq }: EventRow) => ({
  at,
  good: good === 1,
  why,
  log: log_id ?? '',
  seq: seq ?? 0,
});

/** The position of an event in a cursor, which holds numbers only. */
const positionOf = ({ at, record, place }: EventRow): readonly number[] => [Date.parse(at), record, place];

export const reputationHistory = defineTool({
  name: 'reputation_history',
  title: 'Reputation history',
  description: 'See what an agent or server was credited with in a domain, newest first, each with its record.',
  when: 'To see what a score is made of. Each event names the record of the ledger that it follows from; `colibri log <log>/<seq>` shows it.',
  effect: 'read',
  input: z.strictObject({
    node_id: nodeField,
    domain: arg(domainField, 'The domain.'),
    limit: arg(z.int().min(1).max(DOMAIN_LIMITS.historyRows).default(DOMAIN_LIMITS.listUsualRows), limitMeaning),
    cursor: arg(z.string().max(DOMAIN_LIMITS.cursorChars).optional(), cursorMeaning),
  }),
  output: z.strictObject({
    ...basisShape,
    events: z.array(
      z.strictObject({
        at: time,
        good: flagField.describe('Whether it counts as a success.'),
        why: textField.describe('Its reason; docs/reputation.md lists them.'),
        log: pattern(/^[0-9a-f]{32}$/, 'log id'),
        seq: countShape,
      }),
    ),
    next_cursor: nextCursor,
  }),
  errors: {},
  examples: [{ args: { node_id: 'ada', domain: 'execution', limit: 3 } }],
  run: async ({ node_id, domain, limit, cursor }, extra) => {
    const { tx, now } = reading(extra);
    const filter = { reputation: node_id, domain };
    const [ms, record = 0, place = 0] = decodeCursor(filter, cursor);
    const after = ms === undefined ? undefined : { at: new Date(ms).toISOString(), record, place };
    const found = await eventsAfter(tx, { node: node_id, domain, after }, limit + 1);
    const basis = await basisOf(tx, epochAsked(undefined, now));
    const { rows } = fitPage(found.slice(0, limit), Buffer.byteLength(JSON.stringify(basis)));
    const last = rows.at(-1);
    const isMore = rows.length < found.length && last !== undefined;
    return {
      ...basis,
      events: rows.map(shownEvent),
      next_cursor: isMore ? encodeCursor(filter, positionOf(last)) : null,
    };
  },
});
