// What a client is told about a tool, as one text with one digest: a call's intent names the digest, so that everybody can tell later which
// tool the model believed to call. The digest has no salt: whoever has a definition can compare it.
import { hash } from 'node:crypto';
import { quietly } from '../errors.js';
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';

/** The members of a listed tool that a model decides by. `_meta` and icons are not among them. */
const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export interface DefinitionText {
  /** The SHA-256 of `text`. */
  readonly digest: string;
  /** RFC 8785 JSON. */
  readonly text: string;
}

/** A text with its digest. */
export const digestedText = (text: string): DefinitionText => ({ digest: hash('sha256', text), text });

/** The definition in a listed tool; undefined if it has no RFC 8785 text. */
export const definitionOf = (listed: JsonObject): DefinitionText | undefined => {
  const members = MEMBERS.filter((name) => listed[name] !== undefined).map((name) => [name, listed[name]]);
  const text = quietly(() => canonicalJson(Object.fromEntries(members)));
  return text === undefined ? undefined : digestedText(text);
};

/** The whole object of a tool as its server sent it, `_meta` included; undefined if it has no RFC 8785 text. */
export const declarationOf = (declared: unknown): DefinitionText | undefined => {
  const text = quietly(() => canonicalJson(declared));
  return text === undefined ? undefined : digestedText(text);
};
