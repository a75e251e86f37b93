// The copy of a switchboard file that a run works with: the same servers, with shorter times, with a mark on each process by
// which it is found again, and with a relay in front of each URL.
import { renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { plainValue, readJson } from '../build/files/json-text.js';
import { parseSwitchboard } from '../build/switchboard/config/config.js';
import { scaledHealth, scaledTimeout } from './scale.mjs';

/** The variable that marks a server's process and its children. */
export const MARK = 'CHAOS_SERVER';

/** @typedef {import('../build/switchboard/config/config.js').ServerConfig} ServerConfig */

/**
 * @param {string} text @param {string} file
 * @param {NodeJS.ProcessEnv} env
 */
export const readBoard = (text, file, env) => {
  const config = parseSwitchboard(text, { file, env, configDir: dirname(file) });
  const written = config.errors.length > 0 ? {} : /** @type {any} */ (plainValue(readJson(text)));
  return { config, written };
};

/** `${NAME}` of a variable that Colibri has another value of is filled in here. @param {Record<string, string>} values */
const filledIn = (values) => {
  const fill = (/** @type {unknown} */ value) => {
    if (typeof value !== 'string') return value;
    return value.replace(
      /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}/g,
      (whole, name) => values[name] ?? whole,
    );
  };
  const fillAll = (/** @type {unknown} */ value) => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return fill(value);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
  };
  return fillAll;
};

/**
 * One server as the copy has it.
 * @param {ServerConfig} server @param {Record<string, any>} entry as it is written
 * @param {{ scale: number, run: string, givenBack: Record<string, string>, relays: Map<string, string> }} how
 */
export const copiedServer = (server, entry, { scale, run, givenBack, relays }) => {
  const { connection, written, name } = server;
  const fill = filledIn(givenBack);
  const filled = Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, fill(value)]));
  const common = {
    ...filled,
    // Names must be told apart by their server.
    prefix: true,
    timeoutMs: scaledTimeout(server.timeoutMs, scale),
    health: scaledHealth(server.health, scale),
  };
  if (connection.kind === 'http' || written.kind === 'http') return { ...common, url: relays.get(name) ?? entry.url };
  const env = { ...givenBack, .../** @type {object} */ (fill(written.env)), [MARK]: `${run}/${name}` };
  // The copy lies elsewhere, so a working directory that is relative to the file is not any more.
  return { ...common, cwd: connection.cwd, env };
};

/** Replaced as a whole, as editors do: it is read while it is written. @param {string} file @param {object} content */
export const saveBoard = (file, content) => {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};
