// May a server of this file be started? A cloned repository must not run commands by itself.

import type { Hold } from '../health/state.js';
import { readApprovals } from './approvals.js';
import type { ServerConfig } from './config.js';
import { connectionDigest } from './connection.js';
import type { Origin } from './place.js';

export interface Consent {
  /** Why the server may not be dialled until a person acts; null: it may. */
  holdOf(server: Pick<ServerConfig, 'written' | 'missing'>): Hold | null;
}

/** What the user has agreed to by now. */
export const consentFor = (origin: Origin, stateDir: string): Consent => {
  const approved = new Set(origin === 'project' ? readApprovals(stateDir).map(({ digest }) => digest) : []);
  return {
    holdOf: (server) => {
      if (origin === 'project' && !approved.has(connectionDigest(server))) return 'not_approved';
      return server.missing.length > 0 ? 'missing_variable' : null;
    },
  };
};
