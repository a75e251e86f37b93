// What a person or an agent writes is kept as it is, unless it holds the shape of a secret: that goes, and the answer says from which argument.
import { redactShapes } from '../redact/redact.js';

/** Part of an answer; absent where nothing was taken out. */
export interface Redacted {
  readonly redacted?: readonly string[];
}

export interface WithoutSecrets<T> {
  readonly args: T;
  readonly told: Redacted;
}

/** `texts`: the arguments that are prose. */
export const withoutSecrets = <T extends object>(given: T, texts: readonly (keyof T & string)[]): WithoutSecrets<T> => {
  const cleaned = texts.flatMap((key): [string, string][] => {
    const text = given[key];
    const kept = typeof text === 'string' ? redactShapes(text) : text;
    return typeof kept === 'string' && kept !== text ? [[key, kept]] : [];
  });
  if (cleaned.length === 0) return { args: given, told: {} };
  return { args: { ...given, ...Object.fromEntries(cleaned) }, told: { redacted: cleaned.map(([key]) => key) } };
};
