// Cline (the program `cline`; its extension for VS Code keeps servers elsewhere): JSON without comments. How a server is reached stands under
// `transport`; older entries have it at the top. `${…}` is not filled in; servers get the whole environment.
import { join } from 'node:path';
import type { JsonObject } from '../proof/canonical-json.js';
import { type Around, type Client, type ClientTarget, entryOf, placesIn, type Translated } from './client.js';
import { asMembers, type Dialect, translated, translateJson } from './translate.js';

const homeDir = ({ home }: Around): string => join(home, '.cline');

const settingsFile = (around: Around): string =>
  around.env.CLINE_MCP_SETTINGS_PATH || join(homeDir(around), 'data', 'settings', 'cline_mcp_settings.json');

const dialect: Dialect = { variable: () => undefined, inheritEnv: 'all', cwd: () => 'session' };

/** The entry in the form of most clients. Its time-out is in seconds. */
const usual = (entry: JsonObject): JsonObject => {
  const { transport, transportType, timeout, oauthClient, metadata: _notes, ...others } = entry;
  return {
    ...others,
    ...(transportType !== undefined && { type: others.type ?? transportType }),
    ...(transport !== undefined && asMembers(transport)),
    ...(oauthClient !== undefined && { oauth: oauthClient }),
    ...(typeof timeout === 'number' && { timeout: timeout * 1_000 }),
  };
};

const translate = (value: unknown, target: ClientTarget): Translated =>
  translated(() => translateJson(usual(asMembers(value)), dialect, target));

export const cline: Client = {
  id: 'cline',
  title: 'Cline',
  program: 'cline',
  scopes: ['user'],
  restart: 'start a new session',
  traces: (around) => [homeDir(around), settingsFile(around)],
  places: (around) => placesIn('user', [settingsFile(around)]),
  entry: (launch) => ({ transport: { type: 'stdio', ...entryOf(launch) } }),
  translate,
};
