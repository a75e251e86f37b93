// `colibri doctor`: runs all checks in order and prints their findings.
import type { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { redactText } from '../../redact/redact.js';
import type { PlaceOptions } from '../place.js';
import { storeCommand } from '../run.js';
import { type Colour, oneLine, paint, plain, say, sayJson } from '../screen/print.js';
import { aboutSwitchboard, clients, engine, program, project, settings } from './around.js';
import { aboutDisk, journals, permissions, writeAheadLog } from './disk.js';
import { messages } from './log-tail.js';
import { type Check, type DoctorFinding, lookingAt, problem, type Scene, scenePlaceOf } from './scene.js';
import { server } from './server.js';
import { file, heads, key, processes, servers, store } from './store.js';

const AFTER = `
Looks at everything Colibri needs here and says what is wrong with it and what
to do: the program, its settings, which project and store, the store itself,
permissions, key, heads, disk, processes and the health of their servers, the
switchboard file, the clients that start it, the last messages. Changes nothing
and starts nothing. It is quick; \`colibri verify\` checks whether every record is
as it was signed.

  colibri doctor
  colibri doctor --project ~/code/shop
                           as a server that was started there would see it
  colibri doctor --json    {problems, warnings, findings: [{check, state,
                           message, remedy?, details?}]}

Exit codes: 0 no problem (there may be warnings), 1 problems.`;

/** The checks in the order of the output. To add a check, write a function that returns findings and list it here. */
const CHECKS: Readonly<Record<string, Check>> = {
  program,
  engine,
  settings,
  project,
  store,
  server,
  file,
  permissions,
  key,
  heads,
  disk: aboutDisk,
  wal: writeAheadLog,
  journals,
  processes,
  servers,
  switchboard: aboutSwitchboard,
  clients,
  messages,
};

type Told = DoctorFinding & { readonly check: string };

/** Redacts secrets in a finding, because people copy findings into reports: commands, URLs and messages may contain secrets. */
const withoutSecrets = ({ message, details, ...rest }: DoctorFinding): DoctorFinding => ({
  ...rest,
  message: redactText(message),
  ...(details !== undefined && { details: details.map(redactText) }),
});

/** Runs one check. If the check throws, its error becomes a finding. */
const runCheck = async (name: string, check: Check, scene: Scene): Promise<Told[]> => {
  try {
    return (await check(scene)).map((finding) => ({ check: name, ...withoutSecrets(finding) }));
  } catch (thrown) {
    const finding = problem(
      `this check failed: ${oneLine(thrown)}`,
      'Correct the cause of the error, then run colibri doctor again.',
    );
    return [{ check: name, ...finding }];
  }
};

const COLOURS: Readonly<Record<DoctorFinding['state'], Colour>> = { ok: 'green', warning: 'yellow', problem: 'red' };
const STATE_CHARS = 'problem'.length;
const NAME_CHARS = Math.max(...Object.keys(CHECKS).map(({ length }) => length));

const show = ({ check, state, message, remedy, details = [] }: Told): void => {
  const head = `${paint(COLOURS[state], state.padEnd(STATE_CHARS))}  ${check.padEnd(NAME_CHARS)}  `;
  const indent = ' '.repeat(STATE_CHARS + NAME_CHARS + 4);
  say(`${head}${plain(message)}`);
  for (const line of details) say(paint('dim', `${indent}${plain(line)}`));
  if (remedy !== undefined) say(`${indent}→ ${plain(remedy)}`);
};

const doctor = async (options: PlaceOptions): Promise<number> => {
  const findings = await lookingAt(scenePlaceOf(options), async (scene) => {
    const all: Told[] = [];
    for (const [name, check] of Object.entries(CHECKS)) all.push(...(await runCheck(name, check, scene)));
    return all;
  });
  const [problems, warnings] = (['problem', 'warning'] as const).map(
    (state) => findings.filter((finding) => finding.state === state).length,
  );
  if (options.json) sayJson({ problems, warnings, findings });
  else {
    findings.forEach(show);
    say(`${count(problems ?? 0, 'problem')}, ${count(warnings ?? 0, 'warning')}`);
  }
  return problems === 0 ? 0 : EXIT_FAILED;
};

export const doctorCommand = (): Command =>
  storeCommand('doctor', 'say what is wrong here, and what to do about it', AFTER, doctor);
