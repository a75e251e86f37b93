// Runs the commands on its stdin in a shell on a terminal of their own, and types back the four digits that they show, as a person does.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const child = spawn('/usr/bin/script', ['-qec', readFileSync(0, 'utf8'), '/dev/null'], {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { ...process.env, TERM: 'dumb' },
});
let text = '';
let isAnswered = false;
child.stdin.on('error', () => {});
child.stdout.setEncoding('utf8').on('data', (more) => {
  text += more;
  process.stdout.write(more);
  const digits = /Type (\d{4}) to answer/.exec(text)?.[1];
  if (digits === undefined || isAnswered) return;
  isAnswered = true;
  child.stdin.write(`${digits}\n`);
});
child.once('close', (code) => {
  child.stdin.destroy();
  process.exitCode = code ?? 1;
});
