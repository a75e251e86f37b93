// Stores in this process that both verifiers judge, and voters that a person enrolled in them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { StatementKey } from '../../src/consensus/signed.js';
import { enrolVoter } from '../../src/consensus/voter-repository.js';
import { verdictOf } from '../tamper/verdicts.js';
import type { openConsensus } from './in-process.js';

export type Opened = Awaited<ReturnType<typeof openConsensus>>;

const VERIFIER = fileURLToPath(new URL('../python/verify.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Neither verifier finds a contradiction. */
export const isRight = async ({ dir, sign }: Opened): Promise<void> => {
  await sign();
  const path = join(dir, 'colibri.db');
  const told = await verdictOf(path, { headsDir: join(dir, 'heads'), keysDir: join(dir, 'keys') });
  expect(told.findings).toEqual([]);
  if (!hasPython) return;
  const { status, stdout } = spawnSync('python3', [VERIFIER, path, '--json'], { encoding: 'utf8' });
  expect([0, 10], stdout).toContain(status);
};

export const enrol = async ({ store, ledger, now }: Opened, name: string, { publicKey }: StatementKey): Promise<void> =>
  void (await store.write((tx) => enrolVoter(tx, { log: ledger.log, at: now() }, { name, publicKey, by: 'a person' })));
