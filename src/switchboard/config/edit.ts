// Adds and removes servers in the text of a switchboard file. The rest of the text, comments included, does not change.
import { EditError, readMembers, removeMember, setMember } from '../../files/json-edit.js';

export { EditError };

const SERVERS = 'mcpServers';

export const addServer = (text: string | undefined, name: string, server: unknown): string => {
  if (Object.hasOwn(readMembers(text ?? '', [SERVERS]), name)) {
    throw new EditError(`there already is a server ${JSON.stringify(name)}`);
  }
  return setMember(text, [SERVERS, name], server);
};

export const removeServer = (text: string, name: string): string => {
  if (!Object.hasOwn(readMembers(text, [SERVERS]), name)) {
    throw new EditError(`there is no server ${JSON.stringify(name)}`);
  }
  return removeMember(text, [SERVERS, name]);
};
