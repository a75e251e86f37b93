// What status.test.ts and status.deep.test.ts share: the command, laid out for a screen.
import { json } from '../support/command-line.js';
import { onScreen } from '../support/command-output.js';
import type { Message, Place } from '../support/serve.js';

export const status = (place: Place, ...args: string[]) => onScreen(place, ['status', ...args]);
export const statusJson = async (place: Place): Promise<Message> => json(await status(place, '--json'));
