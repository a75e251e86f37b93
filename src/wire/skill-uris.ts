// Makes and parses `skill://` URIs, cuts lists of skills into pages, and encodes a file for an answer. Pure.
import { isUtf8 } from 'node:buffer';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { quietly } from '../errors.js';
import { WIRE_LIMITS } from './limits.js';

const SCHEME = 'skill://';

/** The URI of a file of a skill, `skill://<skill>/<path>`, encoded so that no URI parser changes it. */
export const uriOf = (name: string, path: string): string =>
  [SCHEME + encodeURIComponent(name), ...path.split('/').map(encodeURIComponent)].join('/');

/** The skill and the file's path in it that a URI names; does not check that the file exists. */
export const skillPlaceOf = (uri: string): { readonly name: string; readonly path: string } | undefined => {
  if (!uri.startsWith(SCHEME)) return undefined;
  const end = uri.search(/[?#]/);
  const [name = '', ...path] = uri.slice(SCHEME.length, end === -1 ? undefined : end).split('/');
  // `quietly` returns undefined if the percent-encoding of the URI is not valid.
  return quietly(() => ({ name: decodeURIComponent(name), path: path.map(decodeURIComponent).join('/') }));
};

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  py: 'text/x-python',
  sh: 'application/x-sh',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/typescript',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
};

export const mimeTypeOf = (path: string): string => {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(MIME_TYPES, extension) ? MIME_TYPES[extension] : undefined) ?? 'application/octet-stream';
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON writes each of them with six characters
const SWELLING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** The content of a file: as text if that loses nothing and does not make the JSON much longer, else as base64. */
export const skillContent = (bytes: Buffer): { readonly text: string } | { readonly blob: string } => {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  return text === undefined || SWELLING.test(text) ? { blob: bytes.toString('base64') } : { text };
};

const encodeCursor = (name: string): string => Buffer.from(`after:${name}`).toString('base64url');

const decodeCursor = (cursor: string): string => {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!text.startsWith('after:')) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  return text.slice('after:'.length);
};

/** One page of a list: as many items after the cursor as fit. The cursor is a name, so it stays valid if the list changes. */
export const skillPage = <S extends { readonly name: string }, T>(
  skills: readonly S[],
  cursor: string | undefined,
  show: (skill: S) => T,
): { readonly items: T[]; readonly nextCursor?: string } => {
  const after = cursor === undefined ? '' : decodeCursor(cursor);
  const items: T[] = [];
  let bytes = 0;
  let last = '';
  for (const skill of skills) {
    if (skill.name <= after) continue;
    const item = show(skill);
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (items.length > 0 && bytes > WIRE_LIMITS.skillPageBytes) return { items, nextCursor: encodeCursor(last) };
    items.push(item);
    last = skill.name;
  }
  return { items };
};
