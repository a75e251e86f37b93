// The checks of `colibri doctor` outside the store: program, SQLite, settings, project, switchboard file, process log file.
import { join } from 'node:path';
import { hideSecrets } from '../../clients/hide-secrets.js';
import { readEnv } from '../../config.js';
import { count } from '../../core/figures.js';
import { readVersion } from '../../start/version.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import type { JudgedServer } from '../../switchboard/config/consent.js';
import { followedPlaces } from '../../switchboard/config/place.js';
import { CLI_LIMITS } from '../limits.js';
import { oneLine } from '../screen/print.js';
import { type Check, type DoctorFinding, ok, problem, type Scene, warning } from './finding.js';
import { lastMessages } from './log-tail.js';

/** The oldest supported Node, as in package.json, which is not read here because that file may be what is broken. */
const OLDEST_NODE = [20, 19] as const;

const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
};

export const program: Check = {
  name: 'program',
  run: () => {
    const { node } = process.versions;
    const what = `Colibri ${readVersion()}, Node ${node}, ${process.platform} ${process.arch}`;
    if (isTooOld(node)) return [problem(what, `Install Node ${OLDEST_NODE.join('.')} or newer.`)];
    const isKnown = process.platform === 'linux' || process.platform === 'darwin';
    return [isKnown ? ok(what) : warning(what, 'Only Linux and macOS are tested.')];
  },
};

export const engine: Check = {
  name: 'engine',
  run: async () => {
    try {
      const { engineVersion } = await import('../../store/sqlite/look.js');
      return [ok(`SQLite ${engineVersion()}`)];
    } catch (thrown) {
      const why = oneLine(thrown).slice(0, CLI_LIMITS.doctorReasonChars);
      return [problem(`SQLite cannot be loaded: ${why}`, 'Run npm install again with the Node that runs this.')];
    }
  },
};

export const settings: Check = {
  name: 'settings',
  run: ({ settings: found, config }) => (found.length > 0 ? found : [ok(`mode ${config.mode}`)]),
};

export const project: Check = {
  name: 'project',
  run: ({ project: found, identity }) => [
    ok(found.none ? found.rule : `${found.dir} (${found.rule}), id ${identity?.id} (${identity?.rule})`),
    ...(identity?.note === undefined ? [] : [warning(identity.note.message, identity.note.remedy)]),
  ],
};

const filesOf = ({ config, project: found }: Scene) =>
  followedPlaces({
    named: config.switchboard,
    projectDir: found.none ? undefined : found.dir,
    configDir: config.directories.config,
  });

const HELD = {
  not_approved: (name: string): DoctorFinding =>
    warning(
      `server ${name} is not approved and is not started`,
      'To see what it runs and approve it: colibri switchboard approve',
    ),
  missing_variable: (name: string, missing: readonly string[]): DoctorFinding =>
    warning(`server ${name} is not started: ${missing.join(', ')} not set`, 'Set it where your client starts Colibri.'),
};

/** The finding about a secret in plain text in a file that others may see. */
const plainSecret = (name: string, places: readonly string[]): DoctorFinding =>
  warning(
    `server ${name} has secrets in plain text in the file: ${places.join(', ')}`,
    'Remove the server and add it again with colibri switchboard add, which keeps secrets in secrets.json; then replace the secrets.',
  );

const plainSecretsIn = ({ name, written }: ServerConfig): readonly DoctorFinding[] => {
  const { places } = hideSecrets(name, { ...written }, {});
  return places.length === 0 ? [] : [plainSecret(name, places)];
};

const notFound = (name: string, what: string): DoctorFinding =>
  warning(`server ${name} cannot be started: ${what}`, 'Install it, or correct the file: colibri switchboard check');

const notYetSeen = (name: string, what: string): DoctorFinding =>
  warning(`server ${name}: ${what}`, 'To see what it may do and approve it: colibri switchboard approve');

/** The findings about what prevents a server from being started as its switchboard file says. */
const findingsOn = (judged: JudgedServer, { consentNote, consentHold, absence }: Loaded): readonly DoctorFinding[] => {
  const { server, standing } = judged;
  const hold = consentHold(judged);
  if (hold === 'not_approved') return [HELD.not_approved(server.name)];
  if (hold === 'missing_variable') return [HELD.missing_variable(server.name, server.missing)];
  const note = consentNote({ standing });
  const what = absence(server);
  return [
    ...(note === null ? [] : [notYetSeen(server.name, note)]),
    ...(what === '' ? [] : [notFound(server.name, what)]),
  ];
};

const load = async () => {
  const [files, problems, consent, absent] = await Promise.all([
    import('../../switchboard/config/followed-files.js'),
    import('../../switchboard/config/problem.js'),
    import('../../switchboard/config/consent.js'),
    import('../switchboard/absence.js'),
  ]);
  return { ...files, ...problems, ...consent, ...absent };
};

type Loaded = Awaited<ReturnType<typeof load>>;

export const aboutSwitchboard: Check = {
  name: 'switchboard',
  run: async (scene) => {
    const places = filesOf(scene);
    if (places.length === 0) return [ok('no switchboard file: there are no other servers')];
    const loaded = await load();
    const boards = loaded.readBoards(places, { env: readEnv(), stateDir: scene.config.directories.state });
    const { configs, errors, warnings, merged } = boards;
    const used = merged.servers.filter(({ server }) => !server.disabled);
    const told = [
      ...errors.map((one) => problem(loaded.problemText(one), 'Correct it; until then the servers stay as they were.')),
      ...warnings.map((one) => warning(loaded.problemText(one), 'colibri switchboard check shows the whole file.')),
      ...configs.flatMap(({ servers }) => servers.flatMap(plainSecretsIn)),
      ...used.flatMap((judged) => findingsOn(judged, loaded)),
      ...merged.passedOver.map(({ asked }) => HELD.not_approved(asked.name)),
    ];
    const files = places.map(({ file }) => file).join(', ');
    return told.length > 0 ? told : [ok(`${files}: ${count(used.length, 'server')}`)];
  },
};

/** The errors of processes with other stores: all processes of the user write to one log file, whichever store they use. */
const ofOthers = (elsewhere: number): string =>
  elsewhere === 0 ? '' : `; ${count(elsewhere, 'other')} of processes with another store`;

const whose = (store: string | undefined, own: string | undefined): string => {
  if (store === undefined) return ' (the log does not say of which store)';
  return store === own ? '' : ` (store ${store})`;
};

export const messages: Check = {
  name: 'messages',
  run: ({ config, at: place }) => {
    const folder = join(config.directories.state, 'log');
    const file = join(folder, 'colibri.log');
    const { recent, last, elsewhere } = lastMessages(folder, place?.path, Date.now());
    const others = ofOthers(elsewhere);
    if (last.length === 0)
      return [ok(`no warnings or errors${place === undefined ? '' : ' of this store'} in ${file}${others}`)];
    const details = last.map(({ at, level, text, store }) => `${at} ${level} ${text}${whose(store, place?.path)}`);
    if (recent === 0) return [{ ...ok(`none in the last day in ${file}${others}; before that:`), details }];
    const message = `${count(recent, 'error')} in the last day${others}`;
    return [{ ...warning(message, `The whole log: ${file}`), details }];
  },
};
