// `colibri switchboard list`: the servers and routes of the switchboard files in use, and which file each is from. Starts nothing.
import { readEnv } from '../../config.js';
import type { ConsentStanding, JudgedServer } from '../../switchboard/config/consent.js';
import { type Boards, readBoards } from '../../switchboard/config/followed-files.js';
import type { FileOrigin } from '../../switchboard/config/place.js';
import { problemText } from '../../switchboard/config/problem.js';
import type { Route } from '../../switchboard/config/routes.js';
import { readSecrets } from '../../switchboard/config/secrets.js';
import type { PlaceOptions } from '../place.js';
import { paint, plain, say, sayJson } from '../screen/print.js';
import { tableLines } from '../screen/table.js';
import { screenWidth } from '../screen/width.js';
import { findFiles } from './place.js';
import { reachedBy } from './shown.js';

const ORIGINS: Readonly<Record<FileOrigin, string>> = { environment: 'named', project: 'project', user: 'user' };

const STANDINGS: Readonly<Record<ConsentStanding, string>> = {
  own: '',
  approved: 'approved',
  changed: 'changed',
  old: 'approved long ago',
  not_approved: 'not approved',
};

const stateOf = ({ server, standing }: JudgedServer): string => (server.disabled ? 'disabled' : STANDINGS[standing]);

const COLUMNS = [
  { title: 'server', least: 8 },
  { title: 'file' },
  { title: 'state', least: 6 },
  { title: 'reached by', least: 10 },
];

const routeText = ({ name, providers }: Route): string =>
  `${name}: ${providers.map(({ server, tool }) => `${server}/${tool}`).join(', then ')}`;

const APPROVE = 'To see and approve what waits: colibri switchboard approve';

const show = ({ configs, merged, errors }: Boards, servers: readonly JudgedServer[], reached: readonly string[]) => {
  for (const { file } of configs) say(paint('dim', plain(file)));
  for (const problem of errors) say(paint('red', `error: ${plain(problemText(problem))}`));
  if (servers.length === 0) say('They have no servers. To add one: colibri switchboard add');
  else {
    const cells = servers.map((one, at) => {
      return [plain(one.asked.name), ORIGINS[one.origin], stateOf(one), plain(reached[at] ?? '')];
    });
    for (const line of tableLines(COLUMNS, cells, screenWidth())) say(line);
  }
  for (const route of merged.routes) say(plain(`route ${routeText(route)}`));
  for (const { route, why } of merged.waiting) say(paint('yellow', plain(`route ${route} is off: ${why}`)));
  if (servers.some(({ standing }) => ['changed', 'old', 'not_approved'].includes(standing))) say(APPROVE);
};

export const listServers = async (options: PlaceOptions): Promise<number> => {
  const places = findFiles(options);
  const [first] = places;
  if (first === undefined) {
    if (options.json) sayJson({ files: [], servers: [], routes: [] });
    else say('There is no switchboard file. To make one: colibri switchboard add');
    return 0;
  }
  const stateDir = first.config.directories.state;
  const secrets = readSecrets(stateDir);
  const boards = readBoards(places, { env: readEnv(), stateDir });
  const servers = [...boards.merged.servers, ...boards.merged.passedOver];
  const reached = servers.map(({ asked }) => reachedBy(asked, secrets));
  if (options.json)
    sayJson({
      files: places.map(({ file, origin }) => ({ file, origin })),
      servers: servers.map(({ asked, file, origin, standing, server }, at) => {
        return { server: asked.name, file, origin, standing, disabled: server.disabled, reached: reached[at] };
      }),
      routes: boards.merged.routes,
      waiting: boards.merged.waiting,
    });
  else show(boards, servers, reached);
  return 0;
};
