// The catalogue of one server: the tools that the server listed last, and which of them may be shown to clients. The catalogue is kept when
// a connection ends, so that `tools/list` can be answered without the server.

import { createHash } from 'node:crypto';
import { quietly } from '../../errors.js';
import { canonicalJson, isObject } from '../../proof/canonical-json.js';
import type { ServerConfig } from '../config/config.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DeclaredTool } from '../link/link.js';
import { paramHeadersOf } from '../param-headers.js';
import { newSteps } from '../schema-judge.js';
import type { SchemaObject } from '../schema-node.js';
import { type ToolChanged, toolChange } from '../tool-change.js';
import { isOffered, matchesAny } from '../tool-filter.js';
import { type SafeDefinition, safeDefinition } from './safe-definition.js';

/** Whether calls of a tool may be repeated. */
export interface Safety {
  readonly readOnly: boolean;
  readonly idempotent: boolean;
}

/** A tool as it may be listed, under the name that its server gives it. */
export interface SafeTool extends Safety {
  readonly name: string;
  readonly definition: SchemaObject;
}

/** The tools that may be listed, by name, and notes about tools that were repaired or left out. */
export interface Listable {
  readonly tools: ReadonlyMap<string, SafeTool>;
  readonly notes: readonly string[];
  /** Those of the notes that are about tools that were left out. */
  readonly leftOut: readonly string[];
}

interface Entry {
  readonly declared: DeclaredTool;
  /** The tool's definition as RFC 8785 JSON text; null if it has none, for instance because of a lone surrogate or too deep nesting. */
  readonly text: string | null;
}

const textOf = (declared: unknown): string | null => quietly(() => canonicalJson(declared)) ?? null;

const nameOf = (declared: unknown): string =>
  isObject(declared) && typeof declared.name === 'string' ? declared.name : '?';

/** The tools by name. If two tools have the same name, the last one counts. */
const entriesOf = (tools: readonly DeclaredTool[]): ReadonlyMap<string, Entry> =>
  new Map(tools.map((declared) => [nameOf(declared), { declared, text: textOf(declared) }]));

/** The SHA-256 over the RFC 8785 texts of the tools, sorted by name, so that the server's order does not matter. Tools without a text are skipped. */
const digestOf = (entries: ReadonlyMap<string, Entry>): string => {
  const texts = [...entries.keys()].sort().flatMap((name) => entries.get(name)?.text ?? []);
  return createHash('sha256')
    .update(`[${texts.join(',')}]`)
    .digest('hex');
};

const hint = (declared: DeclaredTool | undefined, name: 'readOnlyHint' | 'idempotentHint'): boolean => {
  const annotations = declared?.annotations;
  return isObject(annotations) && annotations[name] === true;
};

export class StoredCatalogue {
  #entries: ReadonlyMap<string, Entry> = new Map();
  /** The digest of the tool list; null until the list was read for the first time. */
  digest: string | null = null;

  constructor(remembered: readonly DeclaredTool[] | undefined) {
    if (remembered !== undefined) this.accept(remembered);
  }

  has(tool: string): boolean {
    return this.#entries.has(tool);
  }

  /** The tools by name as the server declares them. */
  declared(): ReadonlyMap<string, unknown> {
    return new Map([...this.#entries].map(([name, { declared }]) => [name, declared]));
  }

  /** A tool as the server declares it; undefined if the server does not list it. */
  declaration(tool: string): DeclaredTool | undefined {
    return this.#entries.get(tool)?.declared;
  }

  /** What changed since the approved tools, by the name of the tool. A tool that is gone is not among them. */
  changesSince(approved: ReadonlyMap<string, unknown>): ReadonlyMap<string, ToolChanged> {
    const changes = new Map<string, ToolChanged>();
    for (const [name, { declared }] of this.#entries) {
      const change = toolChange(approved.get(name), declared);
      if (change !== undefined) changes.set(name, change);
    }
    return changes;
  }

  /** Takes over the tools that the server lists now. Returns whether that changes anything; the first list always does. */
  accept(tools: readonly DeclaredTool[]): boolean {
    const entries = entriesOf(tools);
    const digest = digestOf(entries);
    if (digest === this.digest) return false;
    this.#entries = entries;
    this.digest = digest;
    return true;
  }

  /** Whether calls of a tool may be repeated: the configuration or, if it trusts them, the server's hints say so. Read-only implies idempotent. */
  safetyOf(tool: string, { tools, trustHints }: ServerConfig): Safety {
    const declared = trustHints ? this.#entries.get(tool)?.declared : undefined;
    const readOnly = matchesAny(tools.readOnly, tool) || hint(declared, 'readOnlyHint');
    return { readOnly, idempotent: readOnly || matchesAny(tools.idempotent, tool) || hint(declared, 'idempotentHint') };
  }

  safe(config: ServerConfig): Listable {
    const tools = new Map<string, SafeTool>();
    const notes: string[] = [];
    const leftOut: string[] = [];
    const steps = newSteps(SWITCHBOARD_LIMITS.listingSteps);
    for (const [name, { declared, text }] of this.#entries) {
      if (!isOffered(config.tools, name)) continue;
      const safe = unlistable(text) ?? uncallable(declared, config) ?? safeDefinition(declared, steps);
      const words = safe.listed ? safe.notes : [`left out, ${safe.reason}`];
      const mine = words.map((word) => `${name.toWellFormed()}: ${word}`);
      notes.push(...mine);
      if (safe.listed) tools.set(name, { name, definition: safe.definition, ...this.safetyOf(name, config) });
      else leftOut.push(...mine);
    }
    const most = SWITCHBOARD_LIMITS.serverNotes;
    return { tools, notes: notes.slice(0, most), leftOut: leftOut.slice(0, most) };
  }
}

/** Why a tool cannot be listed, if its definition has no JSON text or is too long; else undefined. */
const unlistable = (text: string | null): SafeDefinition | undefined => {
  const most = SWITCHBOARD_LIMITS.definitionChars;
  if (text === null) return { listed: false, reason: 'its definition holds a value that JSON cannot represent' };
  return text.length > most ? { listed: false, reason: `its definition is longer than ${most} characters` } : undefined;
};

/**
 * Why a tool of a server behind a URL cannot be called, if its definition says wrongly which arguments are sent as headers; else undefined.
 * Clients must not list such a tool (MCP 2026-07-28, Tools, "x-mcp-header"). Over stdio there are no headers.
 */
const uncallable = (declared: unknown, { connection }: ServerConfig): SafeDefinition | undefined => {
  if (connection.kind !== 'http' || !isObject(declared)) return undefined;
  const headers = paramHeadersOf(declared.inputSchema);
  return 'fault' in headers ? { listed: false, reason: headers.fault } : undefined;
};
