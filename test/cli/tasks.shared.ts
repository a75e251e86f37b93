// What tasks.test.ts and tasks.deep.test.ts share: the command, laid out for a screen.
import type { Ran } from '../support/command-line.js';
import { onScreen } from '../support/command-output.js';
import type { Place } from '../support/serve.js';

export const tasks = (place: Place, ...args: string[]): Promise<Ran> => onScreen(place, ['tasks', ...args]);
