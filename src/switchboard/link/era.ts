// Finds out which of the two eras of the protocol a server speaks. Asking costs a second process with servers that exit at an unknown
// first request, so the answer is remembered by connection.
import type { JSONRPCMessage, VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import type { DialFault } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

/** `at`: the wall clock, in milliseconds; the memory outlives the process. */
export type EraVerdict =
  | { readonly era: 'legacy'; readonly at: number }
  | { readonly era: 'modern'; readonly version: string; readonly at: number };

/** By connection digest. */
export interface EraMemory {
  get(digest: string): EraVerdict | undefined;
  /** Undefined: forgets a verdict that turned out to be wrong. */
  set(digest: string, verdict: EraVerdict | undefined): void;
}

/** How a connection is opened. `remembered`: by a remembered verdict, which may be out of date. */
export type EraPlan =
  | { readonly era: 'probe' }
  | { readonly era: 'legacy'; readonly remembered: boolean }
  | { readonly era: 'modern'; readonly version: string; readonly remembered: boolean };

/** The verdict "old era" expires, because the server may have been updated; a server of the new era does not go back. */
export const planOf = (verdict: EraVerdict | undefined, nowMs: number): EraPlan => {
  if (verdict === undefined) return { era: 'probe' };
  if (verdict.era === 'modern') return { era: 'modern', version: verdict.version, remembered: true };
  const age = nowMs - verdict.at;
  return age >= 0 && age < SWITCHBOARD_LIMITS.legacyVerdictMs ? { era: 'legacy', remembered: true } : { era: 'probe' };
};

/** What was learned from an attempt that failed. */
export interface EraOpening {
  readonly fault: DialFault;
  /** The version that a late answer to the probe offered. */
  readonly offered?: string | undefined;
  /** The response to the probe does not show the era. */
  readonly unclear?: boolean;
}

/**
 * How to try once more within the same dial; undefined: not at all. There are at most three attempts: a remembered plan, then the
 * probe, then a plan that is not remembered.
 */
export const nextPlan = (plan: EraPlan, { fault, offered, unclear = false }: EraOpening): EraPlan | undefined => {
  if (plan.era !== 'probe') return plan.remembered && fault === 'handshake_refused' ? { era: 'probe' } : undefined;
  // The probe was answered too late, and the server refused the handshake of the old era.
  if (offered !== undefined) return { era: 'modern', version: offered, remembered: false };
  // Old servers exit, or answer with some HTTP error, when their first request is not `initialize`.
  return fault === 'exited' || unclear ? { era: 'legacy', remembered: false } : undefined;
};

export const negotiationOf = (plan: EraPlan, startTimeoutMs: number): VersionNegotiationOptions => {
  if (plan.era === 'legacy') return { mode: 'legacy' };
  if (plan.era === 'probe') return { mode: 'auto', probe: { timeoutMs: SWITCHBOARD_LIMITS.probeMs } };
  return { mode: { pin: plan.version }, probe: { timeoutMs: startTimeoutMs } };
};

const PROBE_ID = /^server-discover-probe-/;

/** The versions of the new era that the SDK supports. */
const MODERN_VERSIONS = ['2026-07-28'];

/**
 * The version of the new era that a message offers: a response to the SDK's probe, which the SDK drops when it comes late, or
 * the refusal of a handshake of the old era.
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
