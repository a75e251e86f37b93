// Whether a call of a tool needs a person's yes. Pure.
import { isObject } from '../../proof/canonical-json.js';
import type { ServerConfig } from '../config/config.js';
import { matchesAny } from '../tool-filter.js';

/** The member of `_meta` of a listed tool that makes clients which know it ask a person, whatever their mode is. */
export const INTERACTION_KEY = 'anthropic/requiresUserInteraction';

type Asking = Pick<ServerConfig, 'tools' | 'trustHints'>;

/**
 * Whether a tool may destroy something: the configuration says so, or nothing says that it does not. By the protocol a tool without
 * annotations may be destructive; hints that say otherwise count only if they are trusted.
 */
const isDestructive = (tool: string, declared: unknown, { tools, trustHints }: Asking): boolean => {
  if (matchesAny(tools.destructive, tool)) return true;
  if (matchesAny(tools.readOnly, tool)) return false;
  const hints = isObject(declared) && isObject(declared.annotations) ? declared.annotations : {};
  if (hints.destructiveHint === true) return true;
  return !(trustHints && (hints.readOnlyHint === true || hints.destructiveHint === false));
};

/** `declared`: the tool as its server lists it; undefined if it does not. */
export const needsApproval = (tool: string, declared: unknown, config: Asking): boolean => {
  const { ask } = config.tools;
  return ask === 'destructive' ? isDestructive(tool, declared, config) : ask.length > 0 && matchesAny(ask, tool);
};
