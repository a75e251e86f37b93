// Knows which definition of each tool the client was shown last. A client that calls a tool which it was never shown gets the current
// definition recorded, marked as unlisted.
import type { DefinitionInForce } from '../../call/context.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { INTERACTION_KEY } from '../approval/need.js';
import { type DefinitionText, definitionOf } from '../definition.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

type ListedDefinition = JsonObject & { readonly name: string };

/** Adds an entry as the newest one, and drops the oldest ones beyond `most`. */
const putNewest = <K, V>(map: Map<K, V>, [key, value]: readonly [K, V], most: number): void => {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
};

export class DefinitionsInForce {
  /** The tools by public name as `tools/list` had them last, the newest last. */
  readonly #shown = new Map<string, ListedDefinition>();
  readonly #made = new WeakMap<object, DefinitionText | null>();
  readonly #kept = new Map<string, true>();
  readonly #keep: (definition: DefinitionText) => void;

  /** `keep`: stores a definition; called for each when a call first names it. */
  constructor(keep: (definition: DefinitionText) => void) {
    this.#keep = keep;
  }

  /** Notes the tools that the client was given. */
  answered(list: readonly ListedDefinition[]): void {
    for (const listed of list) putNewest(this.#shown, [listed.name, listed], SWITCHBOARD_LIMITS.shownDefinitions);
  }

  /** The definition that is in force for a call of the tool now. `current`: the tool as it would be listed now. */
  of(name: string, current: JsonObject): DefinitionInForce | undefined {
    const shown = this.#shown.get(name);
    const definition = this.#definition(shown ?? current);
    if (definition === null) return undefined;
    const { digest } = definition;
    if (!this.#kept.has(digest)) {
      putNewest(this.#kept, [digest, true], SWITCHBOARD_LIMITS.shownDefinitions);
      this.#keep(definition);
    }
    return shown === undefined ? { digest, unlisted: true } : { digest };
  }

  /** Whether the list that the client got says of the tool that a person must be asked before it is called. */
  isFlagged(name: string): boolean {
    const meta = this.#shown.get(name)?._meta;
    return isObject(meta) && meta[INTERACTION_KEY] === true;
  }

  #definition(listed: JsonObject): DefinitionText | null {
    let made = this.#made.get(listed);
    if (made === undefined) {
      made = definitionOf(listed) ?? null;
      this.#made.set(listed, made);
    }
    return made;
  }
}
