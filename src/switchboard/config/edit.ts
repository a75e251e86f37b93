// Adds and removes servers and routes in the text of a switchboard file. The rest of the text, comments included, does not change.
import { nearest } from '../../core/nearest.js';
import { EditError, readMembers, removeMember, setMember } from '../../files/json-edit.js';

export { EditError };

const SERVERS = 'mcpServers';
const ROUTES = 'routes';

/** The sentence for a name that the section does not have. */
const noSuchName = (text: string, section: string, what: string, name: string): EditError => {
  const names = Object.keys(readMembers(text, [section]));
  const meant = nearest(name, names);
  const near = meant === undefined ? '' : `; the nearest is ${JSON.stringify(meant)}`;
  return new EditError(`there is no ${what} ${JSON.stringify(name)}${near}`);
};

const has = (text: string | undefined, section: string, name: string): boolean =>
  Object.hasOwn(readMembers(text ?? '', [section]), name);

/** Whether the text of a switchboard file has a server or a route of this name. */
export const fileHasServer = (text: string | undefined, name: string): boolean => has(text, SERVERS, name);
export const fileHasRoute = (text: string | undefined, name: string): boolean => has(text, ROUTES, name);

export const addServer = (text: string | undefined, name: string, server: unknown): string => {
  if (fileHasServer(text, name)) throw new EditError(`there already is a server ${JSON.stringify(name)}`);
  return setMember(text, [SERVERS, name], server);
};

export const removeServer = (text: string, name: string): string => {
  if (!fileHasServer(text, name)) throw noSuchName(text, SERVERS, 'server', name);
  return removeMember(text, [SERVERS, name]);
};

/** `providers`: as a switchboard file has them, in the order in which they are asked. */
export const addRoute = (text: string | undefined, name: string, providers: readonly unknown[]): string => {
  if (fileHasRoute(text, name)) throw new EditError(`there already is a route ${JSON.stringify(name)}`);
  return setMember(text, [ROUTES, name], providers);
};

export const removeRoute = (text: string, name: string): string => {
  if (!fileHasRoute(text, name)) throw noSuchName(text, ROUTES, 'route', name);
  return removeMember(text, [ROUTES, name]);
};
