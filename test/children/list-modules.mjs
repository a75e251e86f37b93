// Preloaded into a process: every module it loads goes into the file named by LOADED, one address a line.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';

const hooks = `
import { appendFileSync } from 'node:fs';
export const load = (url, context, next) => {
  appendFileSync(${JSON.stringify(process.env.LOADED ?? '')}, url + '\\n');
  return next(url, context);
};`;
appendFileSync(process.env.LOADED ?? '', '');
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
