// Which source files a process has loaded, from the list that test/children/list-modules.mjs writes. A file of the bundle stands for the
// sources that its source map names; every other address stands for itself.
import * as fs from 'node:fs';

const sourcesOf = (address: string): string[] => {
  const map = address.startsWith('file:') ? new URL(`${address}.map`) : undefined;
  if (map === undefined || !address.includes('/dist/') || !fs.existsSync(map)) return [address];
  const { sources } = JSON.parse(fs.readFileSync(map, 'utf8')) as { sources: readonly string[] };
  return sources.map((source) => new URL(source, address).href);
};

export const loadedSources = (list: string): string[] =>
  fs
    .readFileSync(list, 'utf8')
    .split('\n')
    .filter((address) => address !== '')
    .flatMap(sourcesOf);
