// What the verifier says of a store, asked in this process and in this thread.
import type { Verdict } from '../../src/verify/verdict/verdict.js';
import { verifyStore } from '../../src/verify/verify.js';
import type { MadeStore } from './store-life.js';

export const verdictOf = (
  path: string,
  { headsDir, keysDir }: Pick<MadeStore, 'headsDir' | 'keysDir'>,
): Promise<Verdict> =>
  verifyStore({
    path,
    scope: { kind: 'store' },
    headsDir,
    keys: { dir: keysDir },
    workers: 0,
  });

/** The first of what was found, for a person. */
export const reasonOf = ({ exit, findings, missing }: Verdict): string =>
  `exit ${exit} ${JSON.stringify(findings.slice(0, 5))} ${JSON.stringify(missing)}`;
