// What file-appears.test.ts and file-appears.deep.test.ts share: a project whose switchboard file comes and goes.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { descendants } from '../support/process-list.js';
import { type Message, type Peer, type Place, serve } from '../support/serve.js';
import { fakeServer, type ServerEntry } from '../support/switchboard-file.js';

interface Project {
  readonly env: Record<string, string>;
  readonly file: string;
  /** The user's own file. */
  readonly own: string;
}

export const project = (place: Place): Project => {
  const dir = join(place.dir, 'project');
  fs.mkdirSync(join(dir, '.colibri'), { recursive: true });
  return {
    env: { COLIBRI_PROJECT_DIR: dir },
    file: join(dir, '.colibri', 'switchboard.json'),
    own: join(place.home, 'config', 'colibri', 'switchboard.json'),
  };
};

export const write = (file: string, servers: Record<string, ServerEntry>): void => {
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ mcpServers: servers }));
};

export const [script = ''] = fakeServer('plain').args as string[];

export const names = async (peer: Peer): Promise<string[]> =>
  (await peer.request('tools/list')).result.tools.map(({ name }: Message) => name);

export const toldOfChange = (peer: Peer): number =>
  peer.messages.filter(({ method }) => method === 'notifications/tools/list_changed').length;

export const start = async (place: Place, env: Record<string, string>): Promise<{ peer: Peer; greeting: Message }> => {
  const peer = serve(place, { env });
  // A client that takes up changes of the list: its lists wait for a new server.
  const greeting = await peer.initialize('claude-code');
  await peer.phase2();
  return { peer, greeting };
};

export const hasNone = (peer: Peer): boolean => descendants(peer.pid).length === 0;
