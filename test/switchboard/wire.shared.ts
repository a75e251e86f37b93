// What wire.test.ts and wire.deep.test.ts share.
import { colibri } from '../support/command-line.js';
import { serverPid } from '../support/process-list.js';
import type { Message, Place } from '../support/serve.js';

export const namesOf = (answer: Message): string[] => answer.result.tools.map(({ name }: Message) => name);

export const verify = async (place: Place): Promise<number | null> => (await colibri(place, ['verify'])).code;

export const hasServer = (pid: number, text: string): boolean => {
  try {
    return serverPid(pid, text) > 0;
  } catch {
    return false;
  }
};
