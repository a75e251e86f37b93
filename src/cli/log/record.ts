// `colibri log <record>` prints one record; `colibri log --explain <call>` explains one call.
import type { ReadTx } from '../../store/store.js';
import { readingStore } from '../access.js';
import type { StoreAt } from '../place.js';
import { aliveInstances } from '../processes.js';
import { allLogs } from '../records/record-repository.js';
import { indented } from '../screen/fields.js';
import { paint, plain, say, sayJson } from '../screen/print.js';
import { cut, screenWidth } from '../screen/width.js';
import { wrong } from '../target.js';
import { explain, explanationLines } from './explain.js';
import type { LogOptions } from './filter.js';
import { type FoundRecord, findRecord } from './find.js';
import { type PlaceName, placeNames } from './line.js';
import { callLines, otherLines, readCall, readOther } from './one.js';

/** The output of the command: as JSON for programs and as lines for people. */
interface Answer {
  readonly value: unknown;
  readonly lines: readonly string[];
}

interface Question {
  readonly found: FoundRecord;
  readonly placeName: PlaceName;
  readonly alive: ReadonlySet<string>;
}

const CALL_KINDS: readonly string[] = ['call.enter', 'call.exit'];

const explained = async (tx: ReadTx, { found, placeName, alive }: Question): Promise<Answer> => {
  if (!CALL_KINDS.includes(found.row.kind)) {
    throw wrong('Only a call can be explained.', `This is a record of kind ${plain(found.row.kind)}.`);
  }
  const explanation = await explain(tx, found, alive);
  const sentences = explanationLines(explanation, placeName);
  const { tool, call } = explanation.call;
  const room = screenWidth() - call.length - 2;
  const title = `${paint('bold', cut(plain(tool), room))}  ${paint('dim', plain(call))}`;
  return {
    value: { ...explanation, sentences },
    lines: [title, ...sentences.flatMap((line) => indented(line, screenWidth()))],
  };
};

const shown = async (tx: ReadTx, { found, placeName, alive }: Question): Promise<Answer> => {
  if (CALL_KINDS.includes(found.row.kind)) {
    const call = await readCall(tx, found, alive);
    return { value: call, lines: callLines(call, placeName, screenWidth()) };
  }
  const record = await readOther(tx, found);
  return { value: record, lines: otherLines(record, found, placeName, screenWidth()) };
};

export const showRecord = async (at: StoreAt, text: string, options: LogOptions): Promise<number> => {
  const { value, lines } = await readingStore(at, async (store) => {
    const alive = await aliveInstances(store);
    return store.read(async (tx) => {
      const found = await findRecord({ tx, path: at.path }, text);
      const question = { found, placeName: placeNames(await allLogs(tx)), alive };
      return options.explain ? explained(tx, question) : shown(tx, question);
    });
  });
  if (options.json) sayJson(value);
  else for (const line of lines) say(line);
  return 0;
};
