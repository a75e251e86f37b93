// Reads the `health` key of a server's entry: which health checks the server gets, and what follows when they fail.
import type { JsonNode, ObjectNode } from '../../files/json-text.js';
import type { MachineSettings } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { matchesAny } from '../tool-filter.js';
import type { HealthValues, ServerValues, ToolsValues } from './keys.js';
import type { FileOrigin } from './place.js';
import { inside, type TextPlace } from './problem.js';

type CapabilityValues = NonNullable<HealthValues['capability']>;

export interface CapabilityCheck extends Omit<CapabilityValues, 'tool' | 'arguments' | 'expect'> {
  /** The least time in milliseconds between the starts of two capability checks, also after a failure or a quarantine. */
  readonly leastMs?: number;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly expect: 'answer' | 'result' | { readonly contains: string };
  /** True if the entry lists the checked tool in `tools.readOnly`. If false, the check runs only if the tool's own annotation says read-only. */
  readonly declaredReadOnly: boolean;
}

export type HealthSettings = Omit<HealthValues, 'capability'> & { readonly capability: CapabilityCheck | null };

/** The part of a server's health settings that the health machine needs. */
export const machineSettings = ({ capability, ...health }: HealthSettings): MachineSettings => ({
  ...health,
  capability: capability && {
    intervalMs: capability.intervalMs,
    timeoutMs: capability.timeoutMs,
    afterFailures: capability.afterFailures,
  },
});

export const readHealth = (
  { health, tools }: ServerValues,
  own: ObjectNode,
  place: TextPlace,
  origin: FileOrigin,
): HealthSettings => {
  const here = inside(place, 'health');
  const node = own.members.get('health')?.node ?? own;
  if (health.cooldownMaxMs < health.cooldownMs)
    place.problems.error(here.path, node.at, 'cooldownMaxMs is less than cooldownMs');
  const capability = readCapability(health.capability, tools, { place: inside(here, 'capability'), node });
  return { ...health, capability: origin === 'project' ? withLeastInterval(capability, here, node) : capability };
};

/** Raises the interval of a project's capability check if it is too short: intervals need no consent, so a repository could call a tool often. */
const withLeastInterval = (
  capability: CapabilityCheck | null,
  place: TextPlace,
  node: JsonNode,
): CapabilityCheck | null => {
  const leastMs = SWITCHBOARD_LIMITS.projectCapabilityMs;
  if (capability === null) return null;
  if (capability.intervalMs >= leastMs) return { ...capability, leastMs };
  const path = inside(inside(place, 'capability'), 'intervalMs').path;
  place.problems.warn(path, node.at, `is less than ${leastMs} in a project's file; read as ${leastMs}`);
  return { ...capability, intervalMs: leastMs, leastMs };
};

/** Reads the key `capability`. Without a tool in it there is no capability check; if the key is in the server's own entry, that is an error. */
const readCapability = (
  values: CapabilityValues | null,
  tools: ToolsValues,
  { place, node }: { readonly place: TextPlace; readonly node: JsonNode },
): CapabilityCheck | null => {
  if (values === null) return null;
  const written = node.kind === 'object' ? node.members.get('capability') : undefined;
  const { tool, expect } = values;
  if (tool === null) {
    if (written !== undefined) place.problems.error(place.path, written.at, 'needs a "tool"');
    return null;
  }
  const contains = typeof expect === 'object' ? expect.contains : null;
  if (typeof expect === 'object' && contains === null)
    place.problems.error(inside(place, 'expect').path, (written ?? node).at, 'needs "contains"');
  return {
    ...values,
    tool,
    arguments: values.arguments ?? {},
    expect: typeof expect === 'object' ? { contains: contains ?? '' } : expect,
    declaredReadOnly: matchesAny(tools.readOnly, tool),
  };
};
