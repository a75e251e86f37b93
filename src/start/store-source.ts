// Names a store for a verification, which opens connections of its own. In a file of its own, because phase2.ts is loaded late.
import type { StorePlace } from './phase2.js';

/** The store as a verification reads it, and as it is named to a person: the path of a file, or an address without secrets. */
export const sourceAt = ({ engine, path, url, site }: Pick<StorePlace, 'engine' | 'path' | 'url' | 'site'>) => ({
  path: engine === 'sqlite' ? path : site.path,
  ...(url !== undefined && { url }),
});
