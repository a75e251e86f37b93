// What a reader must know of the machine to judge the numbers.
import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { HUB } from './far-tool.mjs';

/** statfs(2), f_type. */
const TMPFS = 0x01021994;

/** Where a sync costs nothing, full durability costs nothing either. */
export const tempIsMemory = () => statfsSync(tmpdir()).type === TMPFS;

export const machineFacts = () => ({
  node: process.version,
  platform: `${process.platform} ${release()} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryMb: Math.round(totalmem() / 2 ** 20),
  temp: { folder: tmpdir(), inMemory: tempIsMemory() },
});

/** Load averages over 1, 5 and 15 minutes. */
export const load = () => loadavg().map((value) => Number(value.toFixed(2)));

/** Ours depends on some of these, is compared with others. */
const PACKAGES = [
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server-memory',
  '@modelcontextprotocol/server-everything',
  '@modelcontextprotocol/server-filesystem',
  'better-sqlite3',
];

/** @param {string} path from the folder of the checkout */
const versionIn = (path) => {
  try {
    return String(JSON.parse(readFileSync(new URL(`../${path}/package.json`, import.meta.url), 'utf8')).version);
  } catch {
    return 'not installed';
  }
};

/** Of us, of Node and of everybody that takes part. @returns {Record<string, string>} */
export const versions = () => ({
  colibri: versionIn('.'),
  Node: process.version.slice(1),
  ...Object.fromEntries(PACKAGES.map((name) => [name, versionIn(`node_modules/${name}`)])),
  'mcp-hub-mcp': HUB.split('@').at(-1) ?? '',
});
