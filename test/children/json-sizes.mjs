// Preloaded into a process (`--import`): writes to the file that JSON_SIZES names the length of the longest text that JSON.parse read or
// JSON.stringify wrote.
import { writeFileSync } from 'node:fs';

const longest = { parse: 0, stringify: 0 };
const { parse, stringify } = JSON;

const note = (what, length) => {
  if (length <= longest[what]) return;
  longest[what] = length;
  writeFileSync(process.env.JSON_SIZES, stringify(longest));
};

JSON.parse = (text, ...rest) => {
  note('parse', String(text).length);
  return parse(text, ...rest);
};
JSON.stringify = (...args) => {
  const text = stringify(...args);
  note('stringify', text?.length ?? 0);
  return text;
};
