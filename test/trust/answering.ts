// Answers an approval on a terminal, as a person does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { colibri, json } from '../support/command-line.js';
import { MAIN, type Message, type Place } from '../support/serve.js';

/** Runs a command on a terminal of its own and types back the digits that it shows; `typed` to type something else. */
export const onOwnTerminal = async (
  place: Place,
  args: readonly string[],
  typed?: string,
): Promise<{ readonly code: number | null; readonly text: string }> => {
  const line = [process.execPath, MAIN, ...args].map((part) => `'${part}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
    cwd: place.dir,
    env: { ...place.env, TERM: 'dumb' },
  });
  let [text, isAnswered] = ['', false];
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    const digits = /Type (\d{4}) to answer/.exec(text)?.[1];
    if (digits === undefined || isAnswered) return;
    isAnswered = true;
    child.stdin.write(`${typed ?? digits}\n`);
  });
  const [code] = await once(child, 'close');
  child.stdin.destroy();
  return { code, text: text.replaceAll('\r\n', '\n') };
};

export const approve = (place: Place, id: string) => onOwnTerminal(place, ['approve', id]);
export const deny = (place: Place, id: string, why = 'no') => onOwnTerminal(place, ['deny', id, '--why', why]);

export const approvalsOf = async (place: Place): Promise<Message[]> =>
  json(await colibri(place, ['approvals', '--all', '--json'])).approvals;
