// What doctor.test.ts and doctor.deep.test.ts share: the command, and what it found.
import { expect } from 'vitest';
import { colibri, json, type RunChoice } from '../support/command-line.js';
import type { Message, Place } from '../support/serve.js';

interface Examined {
  readonly code: number | null;
  readonly findings: readonly Message[];
}

export const examine = async (
  place: Place,
  choice: RunChoice = {},
  args: readonly string[] = [],
): Promise<Examined> => {
  const ran = await colibri(place, ['doctor', '--json', ...args], choice);
  expect(ran.stderr).toBe('');
  const { problems, warnings, findings } = json(ran);
  const states = findings.map(({ state }: Message) => state);
  expect(problems).toBe(states.filter((state: string) => state === 'problem').length);
  expect(warnings).toBe(states.filter((state: string) => state === 'warning').length);
  expect(ran.code).toBe(problems === 0 ? 0 : 1);
  for (const { state, remedy } of findings) if (state !== 'ok') expect(remedy).toEqual(expect.any(String));
  return { code: ran.code, findings };
};

/** `check state message` of what is not well. */
export const troubles = ({ findings }: Examined): string[] =>
  findings.filter(({ state }) => state !== 'ok').map(({ check, state, message }) => `${check} ${state} ${message}`);
