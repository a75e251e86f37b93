// Has tools when it is started for the first time, and none after that; the file COUNT remembers. Or, with SICK: none while it
// is sick.
import { appendFileSync, readFileSync } from 'node:fs';
import { isSick, serve, text, tool } from './lines.mjs';

const wasStarted = () => {
  appendFileSync(process.env.COUNT, 'x');
  return readFileSync(process.env.COUNT, 'utf8').length > 1;
};
const isEmpty = process.env.SICK === undefined ? wasStarted() : isSick();
serve({ tools: isEmpty ? [] : [tool('echo')], call: () => text('well') });
