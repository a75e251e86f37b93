// What refusal.test.ts and refusal.deep.test.ts share: the refusal in an answer.
import type { Message } from '../support/serve.js';

export const refusalOf = (answer: Message): Message | undefined => answer.result?._meta?.['dev.colibri/refusal']?.error;
