// A position in all logs of a store, as an event's id says it: `<log>:<records>,…`. Pure.

import { CLI_LIMITS } from '../limits.js';

/** How many records of each log come before the position, by log id. */
export type ViewPosition = ReadonlyMap<string, number>;

export const positionText = (position: ViewPosition): string =>
  [...position].map(([log, size]) => `${log}:${size}`).join(',');

const PART = /^([0-9a-f]{32}):(0|[1-9]\d{0,14})$/;

/** The position in a text; undefined if the text is not one. */
export const parsePosition = (text: string): ViewPosition | undefined => {
  if (text === '') return new Map();
  const parts = text.split(',', CLI_LIMITS.viewLogs + 1).map((part) => PART.exec(part));
  if (parts.length > CLI_LIMITS.viewLogs || parts.includes(null)) return undefined;
  return new Map(parts.map((part) => [part?.[1] ?? '', Number(part?.[2])]));
};
