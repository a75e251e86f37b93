// Reads values of unknown origin as values of a shape, for showing them. Nothing is refused: anybody may have changed the store, and what
// is left is still to be shown.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { type Members, memberName, type RecordShape, type Scalar, type ShapeValue } from '../../proof/shape.js';

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

const READERS: Readonly<Record<Scalar, (value: unknown) => unknown>> = {
  text: asText,
  id: asText,
  hex32: asText,
  digest: asText,
  time: asText,
  count: asNumber,
  number: asNumber,
  flag: (value) => value === true,
  truth: (value) => value === true,
  anything: (value) => value,
};

/** Whether a value has the JSON type of a shape; contents are not compared. */
const isLike = (shape: RecordShape, value: unknown): boolean => {
  if (typeof shape === 'string') return shape === 'anything' || typeof read(shape, value) === typeof value;
  if ('oneOf' in shape) return typeof value === 'string';
  if ('orNull' in shape) return value === null || isLike(shape.orNull, value);
  if ('listOf' in shape) return Array.isArray(value);
  return 'either' in shape ? shape.either.some((one) => isLike(one, value)) : isObject(value);
};

const readMembers = (members: Members, value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members)
      .map(([written, shape]) => [written, memberName(written), shape] as const)
      .filter(([written, name, shape]) => written === name || isLike(shape, value[name]))
      .map(([, name, shape]) => [name, read(shape, value[name])]),
  );

const read = (shape: RecordShape, value: unknown): unknown => {
  if (typeof shape === 'string') return READERS[shape](value);
  if ('oneOf' in shape) return asText(value);
  if ('orNull' in shape) return isLike(shape.orNull, value) ? read(shape.orNull, value) : null;
  if ('listOf' in shape) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return items.filter((item) => isLike(shape.listOf, item)).map((item) => read(shape.listOf, item));
  }
  if ('either' in shape) return read(shape.either.find((one) => isLike(one, value)) ?? 'anything', value);
  return readMembers(shape.members, isObject(value) ? value : {});
};

/**
 * Makes a value fit the shape: members of a wrong type become empty or are left out, and members that the shape does not have are dropped.
 */
export const readAs = <S extends RecordShape>(shape: S, value: unknown): ShapeValue<S> =>
  read(shape, value) as ShapeValue<S>;
