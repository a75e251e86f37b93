// Runs a command on a terminal of its own: with a given width, or with somebody who answers its questions.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { ClientHome } from './client-home.js';
import { MAIN, type Place } from './serve.js';

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

const QUESTION = /ype yes or no: /g;

/** Everything that was on the screen. Each answer is typed when its question (or what else is waited for) is there. */
export const answerQuestions = async (
  at: Pick<ClientHome, 'project'> & { readonly place: Pick<ClientHome['place'], 'env'> },
  args: readonly string[],
  answers: readonly string[],
  question = QUESTION,
): Promise<{ readonly text: string; readonly code: number | null }> => {
  const line = [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
    cwd: at.project,
    env: { ...at.place.env, TERM: 'dumb' },
  });
  let [text, given] = ['', 0];
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    for (const due = text.match(question)?.length ?? 0; given < due && given < answers.length; given += 1) {
      child.stdin.write(answers[given] ?? '');
    }
  });
  const [code] = await once(child, 'close');
  child.stdin.destroy();
  return { text: text.replaceAll('\r\n', '\n'), code };
};

export const hasTerminals = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** The command on a terminal of that width. */
export const onTerminal = (
  place: Place,
  args: readonly string[],
  columns: number,
  env: Record<string, string> = {},
) => {
  const quoted = [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
  const command = `stty cols ${columns} rows 50; exec ${quoted}`;
  const ran = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: place.dir,
    env: { ...place.env, TERM: 'xterm-256color', ...env },
    encoding: 'utf8',
  });
  return { code: ran.status, stdout: ran.stdout.replaceAll('\r\n', '\n') };
};

/** Without our colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
export const colourless = (text: string): string => text.replace(/\u001b\[\d+m/g, '');

/** On a busy machine there is time for a line of progress, which is written over. */
export const withoutProgress = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a line is cleared
  text.replace(/\r\u001b\[K[^\r\n]*(?=\r\u001b\[K)|\r\u001b\[K/g, '');
