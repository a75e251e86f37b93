// The check `messages`: the last warnings and errors in the log file that all processes of the user write (src/start/log-file.ts).
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../../core/figures.js';
import { sourceAt } from '../../start/store-source.js';
import { CLI_LIMITS } from '../limits.js';
import { type Check, ok, warning } from './scene.js';

interface Message {
  readonly at: string;
  readonly level: string;
  readonly text: string;
  /** The store that the process logged at its start; undefined if that line is no longer in the log file. */
  readonly store: string | undefined;
}

/** A line of the log file: `2026-11-15T20:00:00.000Z 4711 warn  text`. */
const LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (\d+) (info|warn|error) +(.*)$/;
/** The line that a process logs at its start (start/serve.ts, startup.ts): from here on, lines with its pid belong to a new process. */
const BEGINS = /^starting in mode /;
const STORE = /^store: (.+) \([^()]*\)$/;

/** The last bytes of a log file. The first line may be incomplete; then it does not match LINE and is skipped. */
const endOf = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return '';
  const length = Math.min(stats.size, CLI_LIMITS.doctorLogBytes);
  const bytes = Buffer.alloc(length);
  const fd = openSync(path, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, stats.size - length));
  } finally {
    closeSync(fd);
  }
};

/** A process that wrote lines to the log file. A later process with the same pid is another writer. */
type Writer = { store?: string };

/** All warnings and errors. A process may log its store after its first warning, so the stores of messages are filled in at the end. */
const messagesIn = (lines: readonly string[]): Message[] => {
  const writers = new Map<string, Writer>();
  const found: { readonly message: Omit<Message, 'store'>; readonly writer: Writer }[] = [];
  for (const line of lines) {
    const [, at, pid, level, text] = LINE.exec(line) ?? [];
    if (at === undefined || pid === undefined || level === undefined || text === undefined) continue;
    const writer = (!BEGINS.test(text) && writers.get(pid)) || {};
    writers.set(pid, writer);
    const [, store] = level === 'info' ? (STORE.exec(text) ?? []) : [];
    if (store !== undefined) writer.store = store;
    if (level !== 'info')
      found.push({ message: { at, level, text: text.slice(0, CLI_LIMITS.doctorMessageChars) }, writer });
  }
  return found.map(({ message, writer }) => ({ ...message, store: writer.store }));
};

const whose = (store: string | undefined, own: string | undefined): string => {
  if (store === undefined) return ' (the log does not say of which store)';
  return store === own ? '' : ` (store ${store})`;
};

/** Reads the log file and the rotated one, because the current file may be new. Messages of other stores are counted and not shown. */
export const messages: Check = ({ config, at: place }) => {
  const folder = join(config.directories.state, 'log');
  const file = join(folder, 'colibri.log');
  const text = ['colibri.1.log', 'colibri.log'].map((name) => endOf(join(folder, name))).join('\n');
  const all = messagesIn(text.split('\n'));
  const own = place && sourceAt(place).path;
  const isHere = ({ store }: Message): boolean => own === undefined || store === undefined || store === own;
  const isNews = ({ at, level }: Message): boolean =>
    level === 'error' && Date.now() - Date.parse(at) < CLI_LIMITS.doctorNewsMs;
  const news = all.filter(isNews);
  const recent = news.filter(isHere).length;
  const elsewhere = news.length - recent;
  const others = elsewhere === 0 ? '' : `; ${count(elsewhere, 'other')} of processes with another store`;
  const last = all.filter(isHere).slice(-CLI_LIMITS.doctorMessages);
  if (last.length === 0)
    return [ok(`no warnings or errors${place === undefined ? '' : ' of this store'} in ${file}${others}`)];
  const details = last.map(({ at, level, text, store }) => `${at} ${level} ${text}${whose(store, own)}`);
  if (recent === 0) return [{ ...ok(`none in the last day in ${file}${others}; before that:`), details }];
  return [{ ...warning(`${count(recent, 'error')} in the last day${others}`, `The whole log: ${file}`), details }];
};
