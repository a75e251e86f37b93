// Finds out which era of MCP a server speaks: legacy (protocol 2025-11-25 and older) or modern (2026-07-28). A probe request shows it. Some
// servers exit when they get the probe and must be started a second time, so the verdict is stored for each connection.
import type { JSONRPCMessage, VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import type { DialFault } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

/** The protocol era that a server was found to speak. `at`: the wall-clock time of the finding, because verdicts outlive the process. */
export type EraVerdict =
  | { readonly era: 'legacy'; readonly at: number }
  | { readonly era: 'modern'; readonly version: string; readonly at: number };

/** The stored verdicts on servers' protocol eras, by connection digest. */
export interface EraMemory {
  get(digest: string): EraVerdict | undefined;
  set(digest: string, verdict: EraVerdict): unknown;
  /** Forgets the stored verdict on a server's protocol era, because it turned out to be wrong. */
  delete(digest: string): unknown;
}

/** How a connection is opened: with a probe, or in a known protocol era. `remembered`: true if the era is a stored verdict, perhaps out of date. */
export type EraPlan =
  | { readonly era: 'probe' }
  | { readonly era: 'legacy'; readonly remembered: boolean }
  | { readonly era: 'modern'; readonly version: string; readonly remembered: boolean };

/** How to open a connection, given the stored verdict. The verdict "legacy" expires, because the server may be updated; "modern" does not. */
export const planOf = (verdict: EraVerdict | undefined, nowMs: number): EraPlan => {
  if (verdict === undefined) return { era: 'probe' };
  if (verdict.era === 'modern') return { era: 'modern', version: verdict.version, remembered: true };
  const age = nowMs - verdict.at;
  return age >= 0 && age < SWITCHBOARD_LIMITS.legacyVerdictMs ? { era: 'legacy', remembered: true } : { era: 'probe' };
};

/** What a failed attempt to connect has shown about the server's protocol era. */
export interface EraOpening {
  readonly fault: DialFault;
  /** The protocol version that the server offered in a late answer to the probe. */
  readonly offered?: string | undefined;
  /** True if the response to the probe does not show the protocol era. */
  readonly unclear?: boolean;
}

/**
 * How to try once more to connect within the same dial; undefined: there is no further try. There are at most three tries: with the stored
 * verdict, then with the probe, then in the protocol era that the probe showed.
 */
export const nextPlan = (plan: EraPlan, { fault, offered, unclear = false }: EraOpening): EraPlan | undefined => {
  if (plan.era !== 'probe') return plan.remembered && fault === 'handshake_refused' ? { era: 'probe' } : undefined;
  // The server's answer to the probe came too late, after the legacy handshake had begun, and the server refused that handshake.
  if (offered !== undefined) return { era: 'modern', version: offered, remembered: false };
  // Legacy servers exit, or answer with some HTTP error, when their first request is not `initialize`.
  return fault === 'exited' || unclear ? { era: 'legacy', remembered: false } : undefined;
};

export const negotiationOf = (plan: EraPlan, startTimeoutMs: number): VersionNegotiationOptions => {
  if (plan.era === 'legacy') return { mode: 'legacy' };
  if (plan.era === 'probe') return { mode: 'auto', probe: { timeoutMs: SWITCHBOARD_LIMITS.probeMs } };
  return { mode: { pin: plan.version }, probe: { timeoutMs: startTimeoutMs } };
};

const PROBE_ID = /^server-discover-probe-/;

/** The modern protocol versions that the SDK supports. */
const MODERN_VERSIONS = ['2026-07-28'];

/**
 * The modern protocol version that a server's message offers. The message is a response to the SDK's probe, which the SDK drops if it comes
 * late, or the refusal of a legacy handshake.
 */
export const offeredBy = (message: JSONRPCMessage): string | undefined => {
  if ('method' in message) return undefined;
  const versions = 'error' in message ? supportedByError(message.error) : supportedByAnswer(message);
  return Array.isArray(versions) ? MODERN_VERSIONS.find((ours) => versions.includes(ours)) : undefined;
};

const supportedByError = ({ code, data }: { readonly code: number; readonly data?: unknown }): unknown =>
  code === RPC.unsupportedVersion ? (data as { supported?: unknown } | undefined)?.supported : undefined;

const supportedByAnswer = ({ id, result }: { readonly id: unknown; readonly result: unknown }): unknown =>
  typeof id === 'string' && PROBE_ID.test(id)
    ? (result as { supportedVersions?: unknown }).supportedVersions
    : undefined;
