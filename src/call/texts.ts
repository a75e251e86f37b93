// Finds the texts among a call's arguments that a tool stores in its own tables. A path is the name of an argument (`note`), or the name of
// a list and of a member of its elements (`steps.note`).
import { isObject, type JsonObject } from '../proof/canonical-json.js';

/** Returns what stands in place of a text, or undefined to leave it out. `place` names the text, for example `steps[2].note`. */
type ChangeText = (value: unknown, place: string) => unknown;

const withMember = (object: JsonObject, name: string, value: unknown): JsonObject => {
  const { [name]: _before, ...rest } = object;
  return value === undefined ? rest : { ...rest, [name]: value };
};

const mapElements = (list: unknown, name: string, member: string, change: ChangeText): unknown => {
  // What is not a list of objects may hold the texts in any form (JSON as text, for example), so it is changed as a whole.
  if (!Array.isArray(list) || !list.every(isObject)) return change(list, name);
  return list.map((element, i) =>
    element[member] === undefined
      ? element
      : withMember(element, member, change(element[member], `${name}[${i}].${member}`)),
  );
};

/** The arguments with each of the texts that `paths` name replaced by what `change` returns. */
export const mapTexts = (args: JsonObject, paths: readonly string[], change: ChangeText): JsonObject => {
  let changed = args;
  for (const path of paths) {
    const [name = '', member] = path.split('.');
    const value = changed[name];
    if (value === undefined) continue;
    changed = withMember(
      changed,
      name,
      member === undefined ? change(value, name) : mapElements(value, name, member, change),
    );
  }
  return changed;
};
