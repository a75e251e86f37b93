// Claude Desktop: one file, no variables; servers start in `/` with a minimal environment. It passes the text `${…}` unchanged to a
// server, which a switchboard file cannot express.
import { dirname, join } from 'node:path';
import { type Around, type Client, entryOf, placesIn } from './client.js';
import { translateJson } from './translate.js';

const configFile = ({ platform, home, env }: Around): string =>
  join(
    platform === 'darwin' ? join(home, 'Library', 'Application Support') : env.XDG_CONFIG_HOME || join(home, '.config'),
    'Claude',
    'claude_desktop_config.json',
  );

export const claudeDesktop: Client = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  scopes: ['user'],
  restart: 'quit it completely and start it again',
  traces: (around) => [dirname(configFile(around))],
  places: (around) => placesIn('user', [configFile(around)]),
  entry: entryOf,
  translate: (server, target) =>
    translateJson(server, { variable: () => undefined, inheritEnv: 'minimal', cwd: () => 'root' }, target),
};
