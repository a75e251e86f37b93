// The checks of `colibri doctor` outside the store: program, SQLite, settings, project, switchboard file, clients.
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Around, Client, ClientPlace } from '../../clients/client.js';
import { hideSecrets } from '../../clients/hide-secrets.js';
import { CLIENTS } from '../../clients/table.js';
import { readEnv } from '../../config.js';
import { count } from '../../core/figures.js';
import { readVersion } from '../../start/version.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { consentHold, consentNote, type JudgedServer } from '../../switchboard/config/consent.js';
import { readBoards } from '../../switchboard/config/followed-files.js';
import { followedPlaces } from '../../switchboard/config/place.js';
import { problemText } from '../../switchboard/config/problem.js';
import { readingOnce } from '../access.js';
import { aroundHere, OUR_NAME, serversIn, wordsOf } from '../init/client-files.js';
import { CLI_LIMITS } from '../limits.js';
import { oneLine } from '../screen/print.js';
import { projectNote } from '../tasks/namesakes.js';
import { type Check, type DoctorFinding, ok, openable, problem, type Scene, warning } from './scene.js';

/** The oldest supported Node, as in package.json, which is not read here because that file may be what is broken. */
const OLDEST_NODE = [20, 19] as const;

const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
};

export const program: Check = () => {
  const { node } = process.versions;
  const what = `Colibri ${readVersion()}, Node ${node}, ${process.platform} ${process.arch}`;
  if (isTooOld(node)) return [problem(what, `Install Node ${OLDEST_NODE.join('.')} or newer.`)];
  const isKnown = process.platform === 'linux' || process.platform === 'darwin';
  return [isKnown ? ok(what) : warning(what, 'Only Linux and macOS are tested.')];
};

export const engine: Check = async () => {
  try {
    const { engineVersion } = await import('../../store/sqlite/look.js');
    return [ok(`SQLite ${engineVersion()}`)];
  } catch (thrown) {
    const why = oneLine(thrown).slice(0, CLI_LIMITS.doctorReasonChars);
    return [problem(`SQLite cannot be loaded: ${why}`, 'Run npm install again with the Node that runs Colibri.')];
  }
};

export const settings: Check = ({ settings: found, config }) =>
  found.length > 0 ? found : [ok(`mode ${config.mode}`)];

export const project: Check = async (scene) => {
  const { project: found, identity } = scene;
  const at = openable(scene);
  const note = identity?.note ?? (at && (await readingOnce(at, (tx) => projectNote(tx, at)).catch(() => undefined))); // `store` says why
  return [
    ok(found.none ? found.rule : `${found.dir} (${found.rule}), id ${identity?.id} (${identity?.rule})`),
    ...(note === undefined ? [] : [warning(note.message, note.remedy)]),
  ];
};

const filesOf = ({ config, project: found }: Scene) =>
  followedPlaces({
    named: config.switchboard,
    projectDir: found.none ? undefined : found.dir,
    configDir: config.directories.config,
  });

const notApproved = (name: string): DoctorFinding =>
  warning(
    `server ${name} is not approved and is not started`,
    'To see what it runs and approve it: colibri switchboard approve',
  );

/** The finding about secrets in plain text in a file that others may see. */
const plainSecretsIn = ({ name, written }: ServerConfig): readonly DoctorFinding[] => {
  const { places } = hideSecrets(name, { ...written }, {});
  const remedy =
    'Remove the server and add it again with colibri switchboard add, which keeps secrets in secrets.json; then replace the secrets.';
  return places.length === 0
    ? []
    : [warning(`server ${name} has secrets in plain text in the file: ${places.join(', ')}`, remedy)];
};

/**
 * The findings about what prevents the start of a server as its switchboard file describes it. `absence`: returns what is missing, such as
 * a program.
 */
const findingsOn = (judged: JudgedServer, absence: (server: ServerConfig) => string): readonly DoctorFinding[] => {
  const { name, missing } = judged.server;
  const hold = consentHold(judged);
  if (hold === 'not_approved') return [notApproved(name)];
  if (hold === 'missing_variable') {
    const message = `server ${name} is not started: ${missing.join(', ')} not set`;
    return [warning(message, 'Set it where your client starts Colibri.')];
  }
  const note = consentNote(judged);
  const absent = absence(judged.server);
  const approve = 'To see what it may do and approve it: colibri switchboard approve';
  const install = 'Install it, or correct the file: colibri switchboard check';
  return [
    ...(note === null ? [] : [warning(`server ${name}: ${note}`, approve)]),
    ...(absent === '' ? [] : [warning(`server ${name} cannot be started: ${absent}`, install)]),
  ];
};

export const aboutSwitchboard: Check = async (scene) => {
  const places = filesOf(scene);
  if (places.length === 0) return [ok('no switchboard file: there are no other servers')];
  const { absence } = await import('../switchboard/try.js'); // loads the SDK
  const boards = readBoards(places, { env: readEnv(), stateDir: scene.config.directories.state });
  const { configs, errors, warnings, merged } = boards;
  const used = merged.servers.filter(({ server }) => !server.disabled);
  const told = [
    ...errors.map((one) => problem(problemText(one), 'Correct it; until then the servers stay as they were.')),
    ...warnings.map((one) => warning(problemText(one), 'colibri switchboard check shows the whole file.')),
    ...configs.flatMap(({ servers }) => servers.flatMap(plainSecretsIn)),
    ...used.flatMap((judged) => findingsOn(judged, absence)),
    ...merged.passedOver.map(({ asked }) => notApproved(asked.name)),
  ];
  const files = places.map(({ file }) => file).join(', ');
  return told.length > 0 ? told : [ok(`${files}: ${count(used.length, 'server')}`)];
};

/** The paths in a client's entry for Colibri that do not exist any more. */
const missingIn = (entry: unknown): readonly string[] =>
  wordsOf(entry).filter((path) => isAbsolute(path) && !existsSync(path));

const lookAt = (client: Client, place: ClientPlace, around: Around): readonly DoctorFinding[] => {
  try {
    const entry = serversIn(place, around)[OUR_NAME];
    if (entry === undefined) return [];
    const missing = missingIn(entry);
    const where = `${client.title} (${place.file})`;
    if (missing.length === 0) return [ok(`${where} starts Colibri`)];
    return [
      problem(
        `${where} would start ${missing.join(' and ')}, which does not exist`,
        'Write the entry again: colibri init',
      ),
    ];
  } catch (thrown) {
    if (place.scope === 'managed') return []; // an administrator's file, which this user may not read
    return [
      warning(
        `${place.file} cannot be read: ${oneLine(thrown)}`,
        `${client.title} may not be able to read the file either.`,
      ),
    ];
  }
};

/** Whether the program in each client's entry for Colibri still exists. */
export const clients: Check = ({ project: found }) => {
  const around = aroundHere(found.none ? undefined : found.dir);
  const findings = Object.values(CLIENTS).flatMap((client) =>
    client.places(around).flatMap((place) => lookAt(client, place, around)),
  );
  if (findings.length > 0) return findings;
  const known = count(Object.keys(CLIENTS).length, 'client');
  return [ok(`none of the ${known} that init knows starts Colibri; colibri init adds it`)];
};
