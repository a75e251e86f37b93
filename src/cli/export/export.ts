// The command `colibri export`: writes records, calls, thoughts or tasks to a file or to stdout.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { count } from '../../core/figures.js';
import type { Store } from '../../store/store.js';
import { assertThere, readingStore } from '../access.js';
import { findStore, type PlaceOptions, type StoreAt, withPlace } from '../place.js';
import { running } from '../run.js';
import { bytesText } from '../screen/bytes.js';
import { plain, say, sayJson } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { signFirst } from '../signing.js';
import { wrong } from '../target.js';
import { finishing, replacedFile } from '../unfinished-file.js';
import { parseWhen } from '../when.js';
import { csvLine } from './csv.js';
import { exportedThoughts, tasks } from './evidence.js';
import { calls, records } from './records.js';
import { fileSink, type Sink, streamSink } from './sink.js';
import type { ExportChoice, ExportRow, Source } from './source.js';

const AFTER = `
Writes one row a line and does not disturb running servers. JSON lines of
records hold what docs/audit-format.md hashes, with the logs, their keys and
their checkpoints: enough to recompute every root without Colibri.

  colibri export --out records.jsonl
                   every record, with the arguments that are kept
  colibri export --what calls --since 7d --format csv
                   one row a call, for a spreadsheet
  colibri export --what thoughts --no-payloads | less
                   without arguments and contents
  colibri export --what tasks --until 2026-11-01 --out tasks.csv --format csv

The file gets its name when it is complete, and replaces one of that name. In
CSV a text that a spreadsheet would take for a formula gets an apostrophe in
front; JSON lines are exact. Erased or pruned contents are marked \`erased\`.
With --out, --json prints what was written.
Exit codes: 0 exported; 1 failed, and no new file is left.`;

const SOURCES = { records, tasks, thoughts: exportedThoughts, calls } as const satisfies Record<string, Source>;
type What = keyof typeof SOURCES;
const FORMATS = ['jsonl', 'csv'] as const;
type Format = (typeof FORMATS)[number];

interface ExportOptions extends PlaceOptions {
  readonly what: What;
  readonly format: Format;
  readonly since?: string;
  readonly until?: string;
  readonly out?: string;
  /** Whether arguments and contents of thoughts are exported; false with --no-payloads. */
  readonly payloads: boolean;
  readonly json?: true;
}

interface Tally {
  /** How many rows of the kind that the user asked for were written. */
  rows: number;
  /** How many of the written rows have contents that were erased or pruned. */
  erased: number;
  bytes: number;
}

const tableLine = ({ source: { columns }, isShown }: Job, row: ExportRow): string =>
  csvLine(
    columns.map((name) => row[name] ?? null),
    isShown,
  );

const lineOf = (job: Job, row: ExportRow): string => {
  if (job.format === 'jsonl') return `${JSON.stringify(row)}\n`;
  return row.row === job.source.row ? tableLine(job, row) : '';
};

const isErased = ({ payload, contents }: ExportRow): boolean => payload === 'erased' || contents === 'erased';

interface Job {
  readonly source: Source;
  readonly format: Format;
  readonly choice: ExportChoice;
  readonly showsProgress: boolean;
  /** Whether the output goes to a terminal. */
  readonly isShown: boolean;
}

const pour = async (store: Store, job: Job, sink: Sink): Promise<Tally> => {
  const { source, format, choice, showsProgress } = job;
  const tally = { rows: 0, erased: 0 };
  const progress = progressOn(showsProgress ? process.stderr : { write: () => {} }, 'exporting');
  try {
    let goes = format === 'jsonl' || (await sink.write(csvLine(source.columns)));
    for await (const { rows, done, total } of source.pages(store, choice)) {
      const asked = rows.filter(({ row }) => row === source.row);
      tally.rows += asked.length;
      tally.erased += asked.filter(isErased).length;
      goes &&= rows.length === 0 || (await sink.write(rows.map((row) => lineOf(job, row)).join('')));
      if (!goes) break;
      if (total > 0) progress.update(done, total);
    }
    return { ...tally, bytes: sink.bytes };
  } finally {
    progress.end();
  }
};

const toFile = (at: StoreAt, job: Job, out: string): Promise<Tally> =>
  finishing(replacedFile(out), async (path) => {
    const sink = fileSink(path);
    try {
      return await readingStore(at, (store) => pour(store, job, sink));
    } finally {
      sink.close();
    }
  });

const periodOf = ({ since, until }: ExportOptions): Pick<ExportChoice, 'since' | 'until'> => {
  const now = Date.now();
  const [from, to] = [
    since === undefined ? undefined : parseWhen(since, '--since', now),
    until === undefined ? undefined : parseWhen(until, '--until', now),
  ];
  if (from !== undefined && to !== undefined && from >= to) {
    throw wrong(`--since ${from} is not before --until ${to}.`, 'Give an earlier --since or a later --until.');
  }
  return { since: from, until: to };
};

const show = (file: string, what: What, { rows, erased, bytes }: Tally): void => {
  const some = erased === 0 ? '' : `; contents of ${erased} were erased or pruned`;
  say(plain(`${count(rows, what.slice(0, -1))} in ${file} (${bytesText(bytes)})${some}`));
};

const run = async (options: ExportOptions): Promise<number> => {
  const { what, format, payloads: contents, out, json } = options;
  if (json && out === undefined && format !== 'jsonl') {
    throw wrong(
      '--json and --format csv exclude each other on stdout.',
      'Leave out --json or --format csv, or name a file with --out.',
    );
  }
  const choice = { ...periodOf(options), contents };
  const at = findStore(options);
  assertThere(at);
  await signFirst(at);
  const showsProgress = out !== undefined || process.stdout.isTTY !== true;
  const isShown = out === undefined && process.stdout.isTTY === true;
  const job = { source: SOURCES[what], format, choice, showsProgress, isShown };
  if (out === undefined) {
    await readingStore(at, (store) => pour(store, job, streamSink(process.stdout)));
    return 0;
  }
  const file = resolve(out);
  const tally = await toFile(at, job, file);
  if (json) sayJson({ file, what, format, ...tally });
  else show(file, what, tally);
  return 0;
};

export const exportCommand = (): Command =>
  withPlace(new Command('export'))
    .description('records, calls, thoughts or tasks as JSON lines or CSV')
    .addOption(new Option('--what <rows>', 'what to export').choices(Object.keys(SOURCES)).default('records'))
    .addOption(new Option('--format <format>', 'one JSON object a line, or a table').choices(FORMATS).default('jsonl'))
    .option('--since <when>', 'from then on: a date, or an age such as 7d')
    .option('--until <when>', 'before then')
    .option('--out <file>', 'the file to write; stdout if left out')
    .option('--no-payloads', 'without arguments and contents of thoughts')
    .addHelpText('after', AFTER)
    .action(running(run));
