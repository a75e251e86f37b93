// A command that asks a person, on a terminal of its own, and somebody who answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Moving } from '../clients/moving.js';
import { MAIN } from '../process.js';

export const canAsk = process.platform === 'linux' && existsSync('/usr/bin/script');

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

const QUESTION = /ype yes or no: /g;

/** Everything that was on the screen. Each answer is typed when its question (or what else is waited for) is there. */
export const asked = async (
  at: Pick<Moving, 'project'> & { readonly place: Pick<Moving['place'], 'env'> },
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
