// The health checks of one server: decides which checks may run and which answers pass. The health machine decides when a check is due.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { needsApproval } from '../approval/need.js';
import type { ServerConfig } from '../config/config.js';
import { type CapabilityCheck, machineSettings } from '../config/health-settings.js';
import type { HealthEvent } from '../health/event.js';
import type { CheckSignal, MachineSettings } from '../health/state.js';
import type { LinkAnswer, LinkEnd } from '../link/link.js';
import type { StoredCatalogue } from './stored-catalogue.js';

/**
 * Why the capability check may not run; null if it may. The check calls a tool again and again and waits for nobody, so the tool must be
 * read-only, and none that needs the yes of a person.
 */
export const capabilityFault = (config: ServerConfig, catalogue: StoredCatalogue): string | null => {
  const { capability } = config.health;
  if (capability === null) return null;
  if (needsApproval(capability.tool, catalogue.declaration(capability.tool), config))
    return `capability check is off: every call of ${capability.tool} needs the yes of a person`;
  if (catalogue.safetyOf(capability.tool, config).readOnly) return null;
  return catalogue.has(capability.tool)
    ? `capability check is off: ${capability.tool} is not known to be read-only`
    : `capability check is off: there is no tool ${capability.tool} that is known to be read-only`;
};

/** The settings for the server's health machine. If the capability check may not run, the settings do not contain it. */
export const settingsFor = (config: ServerConfig, catalogue: StoredCatalogue): MachineSettings =>
  machineSettings(capabilityFault(config, catalogue) === null ? config.health : { ...config.health, capability: null });

const textsOf = (result: JsonObject): readonly string[] => {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const texts = blocks.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : []));
  return result.structuredContent === undefined ? texts : [...texts, JSON.stringify(result.structuredContent)];
};

export const meets = (expect: CapabilityCheck['expect'], end: Extract<LinkEnd, { how: 'response' }>): boolean => {
  if (expect === 'answer') return true;
  if (!('result' in end) || end.result.isError === true) return false;
  return expect === 'result' || textsOf(end.result).some((text) => text.includes(expect.contains));
};

export interface AskedCheck {
  readonly dial: number;
  readonly signal: CheckSignal;
  readonly check: number;
}

/** Makes the event for the server's health machine when a health check has ended. */
export const checkEvent = (
  { dial, signal, check }: AskedCheck,
  { end }: LinkAnswer,
  { expect, callInFlight }: { readonly expect: CapabilityCheck['expect']; readonly callInFlight: boolean },
): HealthEvent => {
  const asked = { dial, signal, check };
  const failed = (how: 'timeout' | 'wrong'): HealthEvent => ({ ...asked, type: 'check_failed', how, callInFlight });
  switch (end.how) {
    case 'response':
      return meets(expect, end) ? { ...asked, type: 'check_passed' } : failed('wrong');
    case 'timeout':
      return failed('timeout');
    case 'cancelled':
    case 'cut':
      return { ...asked, type: 'check_cancelled' };
    // A lost connection is reported by the connection itself. If only the check's request was lost, the check failed.
    case 'lost':
    case 'server_error':
      return failed('wrong');
    case 'auth_required':
      return { ...asked, type: 'auth_required', during: 'check', status: end.status };
    case 'throttled':
      return { ...asked, type: 'throttled', during: 'check', retryAfterMs: end.retryAfterMs };
  }
};

const LOST: LinkAnswer = { end: { how: 'lost' }, sent: false, frames: 0, elapsedMs: 0 };
/**
 * Stands for the answer to a health check that was not sent, because the configuration has no such check any more or the connection to the
 * server is closed.
 */
export const NOT_SENT: LinkAnswer = { ...LOST, end: { how: 'cancelled' } };

/** Sends a check. `send` returns undefined if there is no connection. If the promise of `send` rejects, the check counts as failed. */
export const ask = async (send: () => Promise<LinkAnswer> | undefined): Promise<LinkAnswer> => {
  try {
    return (await send()) ?? NOT_SENT;
  } catch {
    return LOST;
  }
};
