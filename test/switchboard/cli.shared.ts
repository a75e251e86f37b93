// What cli.test.ts and cli.deep.test.ts share: a project with a switchboard file.
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../support/serve.js';

export const project = (place: Place): { readonly env: Record<string, string>; readonly file: string } => {
  const dir = join(place.dir, 'project');
  fs.mkdirSync(join(dir, '.colibri'), { recursive: true });
  return { env: { COLIBRI_PROJECT_DIR: dir }, file: join(dir, '.colibri', 'switchboard.json') };
};
