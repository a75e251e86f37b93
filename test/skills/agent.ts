// An agent without wits: it knows its instructions, the tool list and what skills say, and makes their ready calls in
// order, as they stand. What it was given in one result it puts in for the next.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { AnyClient, Message } from '../support/serve.js';

export interface ReadyCall {
  readonly tool: string;
  readonly arguments: Message;
}

const BLOCK = /^```json\n([\s\S]*?)\n```$/gm;

/** The ready calls of each section of a skill, by the section's number. */
export const readyCalls = (source: string): ReadonlyMap<string, readonly ReadyCall[]> => {
  const sections = readFileSync(source, 'utf8').split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => [
      section.split(/[. \n]/, 1)[0] ?? '',
      [...section.matchAll(BLOCK)].map(([, json = '']) => JSON.parse(json) as ReadyCall),
    ]),
  );
};

const PLACEHOLDER = /^<([^>]+)>$/;

/** The first value of that name anywhere in a result. */
const found = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  const own = (value as Message)[name];
  if (own !== undefined && own !== null && typeof own !== 'object') return own;
  return Object.values(value).reduce<unknown>((seen, inner) => seen ?? found(inner, name), undefined);
};

export class Agent {
  readonly #client: AnyClient;
  readonly #memory: Message;
  readonly calls: string[] = [];

  constructor(client: AnyClient) {
    this.#client = client;
    this.#memory = { 'your name': 'literal' };
  }

  recall(name: string): unknown {
    return this.#memory[name];
  }

  /** A name it was given a value for; anything else is a request for words, and it has only those it reads. */
  #fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.#fill(inner));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#fill(inner)]));
    }
    const asked = typeof value === 'string' ? PLACEHOLDER.exec(value)?.[1] : undefined;
    return asked === undefined ? value : (this.#memory[asked] ?? asked);
  }

  #learn(data: unknown): void {
    for (const name of ['task_id', 'lease_token', 'session_id', 'thought_id', 'source']) {
      const value = found(data, name);
      if (value !== undefined) this.#memory[name] = value;
    }
  }

  /** Makes one call and insists that it was no refusal, of either kind. */
  async make(call: ReadyCall): Promise<Message> {
    const args = this.#fill(call.arguments) as Message;
    const status = args.status ?? args.steps?.at(-1).status;
    this.calls.push(`${call.tool}${status === undefined ? '' : ` ${status}`}`);
    const { structuredContent } = await this.#client.callTool(call.tool, args);
    const shown = JSON.stringify({ call: call.tool, args, structuredContent });
    expect(structuredContent.ok, shown).toBe(true);
    expect(structuredContent.data.ok, shown).not.toBe(false);
    this.#learn(structuredContent.data);
    return structuredContent.data;
  }

  async follow(calls: readonly ReadyCall[] | undefined): Promise<Message[]> {
    const results: Message[] = [];
    for (const call of calls ?? []) results.push(await this.make(call));
    return results;
  }
}
