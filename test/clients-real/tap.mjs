// Stands between a client and Colibri and writes down the methods that the client sends, in order: tap.mjs <file> <command> [args].
// Only for checks of the order of opening: a process between them changes how signals arrive.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] });
child.stdin.on('error', () => {});
child.on('close', (code) => process.exit(code ?? 1));

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const method = /"method"\s*:\s*"([^"]+)"/.exec(line)?.[1];
    if (method !== undefined) appendFileSync(file, `${method}\n`);
  }
  child.stdin.write(chunk);
});
process.stdin.on('end', () => child.stdin.end());
