// A store, a switchboard file and a skill full of hostile names, and what of them reaches a terminal.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { dataOf } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Peer, type Place, serve } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { onTerminal, withoutProgress } from '../support/terminal.js';

/** A control of each kind, C1, direction, no width, a tag, a separator; and a colour that is one of ours. */
export const EVIL =
  'x\u001b]0;owned\u0007\u001b[2J\u001b[31m\u009b2J\u0090\u009c\r\u0008\u007f\u202e\u2066\u200b\u200d\ufeff\u00ad\u061c\u{e0041}\u2028\u3164y';

/** A second line that looks like ours, a colour of ours, more marks on a letter than any language has, and a formula. */
export const FORGED = `z\nFORGED line\tx \u001b[31mREDe${'\u0301'.repeat(50)}${'漢'.repeat(20)}`;

/** Lines that somebody else began, colours that somebody else chose, floods of marks. */
const FORGERIES: readonly RegExp[] = [
  /^FORGED/m,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  /\u001b\[31mRED/,
  /\p{M}{9}/u,
];

export const forgery = (text: string): string | undefined => {
  const found = FORGERIES.map((pattern) => pattern.exec(withoutProgress(text))).find((match) => match !== null);
  return found === undefined ? undefined : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 30));
};

/** Our own colours and line ends may be there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const OWN = /\u001b\[(?:1|2|22|31|32|33|39)m|\n/g;
const FORBIDDEN = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The live board draws on the terminal's other screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how it is drawn
const LIVE = /\u001b\[\?(?:1049|25)[hl]|\u001b\[[HKJ]|\r(?=\n)/g;

export const offence = (text: string): string | undefined => {
  const bare = withoutProgress(text).replace(LIVE, '').replace(OWN, '');
  const at = bare.search(FORBIDDEN);
  return at < 0 ? undefined : JSON.stringify(bare.slice(Math.max(0, at - 60), at + 20));
};

export interface Hostile {
  readonly place: Place;
  readonly task: string;
  readonly thought: string;
  readonly call: string;
}

/** A store and a switchboard file full of such names, behind a process that runs. */
export const hostileStore = async (): Promise<Hostile> => {
  const place = freshPlace();
  const skill = join(place.dir, '.claude', 'skills', 'evil');
  fs.mkdirSync(skill, { recursive: true });
  fs.writeFileSync(join(skill, 'SKILL.md'), `---\nname: evil\ndescription: ${JSON.stringify(EVIL)}\n---\n${EVIL}\n`);
  writeBoard(place, {
    [`s${EVIL.replace(/\p{Cc}/gu, '')}`]: { command: 'node', args: [EVIL] },
    dies: { command: 'sh', args: ['-c', 'printf "%s\\n" "Error: $WORDS" >&2; exit 1'], env: { WORDS: EVIL } },
    forges: {
      command: 'sh',
      args: ['-c', 'printf "%s\\n" "Error: $WORDS" >&2; exit 1', FORGED],
      env: { WORDS: FORGED },
    },
    nowhere: { command: `/no/${EVIL}` },
    remote: { url: `http://127.0.0.1:9/${encodeURIComponent(EVIL)}` },
  });
  const peer = serve(place);
  await peer.initialize(`client ${EVIL}${FORGED}`);
  await peer.phase2();
  await peer.until(() => /dies: STARTING → UNHEALTHY/.test(peer.stderr), 30_000);
  const named = { title: `title ${EVIL}`, description: `${EVIL}${FORGED}`, project: `p${EVIL}`, assignee: `a${EVIL}` };
  const { task_id } = dataOf(await peer.call('task_create', named));
  await peer.call('task_update', { task_id, status: 'GATHER', note: `note ${EVIL}` });
  const thought = dataOf(await peer.call('thought_record', { type: 'plan', content: EVIL, agent_id: `g${EVIL}` }));
  await forge(peer);
  const refused = await peer.call(`tool${EVIL}`, { [`k${EVIL}`]: EVIL });
  expect(offence(peer.stderr), 'stderr of serve').toBeUndefined();
  const log = fs.readFileSync(join(place.home, 'state', 'colibri', 'log', 'colibri.log'), 'utf8');
  expect(offence(log), 'the log file').toBeUndefined();
  return { place, task: task_id, thought: thought.thought_id, call: receiptOf(refused)?.call ?? '' };
};

/** The same names again, with line ends. */
const forge = async (peer: Peer): Promise<void> => {
  const { task_id } = dataOf(await peer.call('task_create', { title: FORGED, project: FORGED.slice(0, 100) }));
  await peer.call('task_update', { task_id, status: 'GATHER', note: FORGED });
  await peer.call('thought_record', { type: 'plan', content: FORGED, agent_id: FORGED.slice(0, 100) });
  await peer.call(`tool${FORGED}`, { [FORGED]: FORGED });
  await peer.request('tools/call', { name: 'task_get', arguments: { task_id: FORGED }, _meta: { threadId: FORGED } });
};

export const everyCommand = ({ task, thought, call }: Hostile): readonly (readonly string[])[] => [
  ...[[], ['status'], ['status', '--json'], ['doctor'], ['doctor', '--json'], ['verify'], ['verify', '--json']],
  ...[
    ['log'],
    ['log', '--json'],
    ['log', call],
    ['log', call, '--json'],
    ['log', '--explain', call],
    ['log', '--kind', 'health'],
  ],
  ...[
    ['log', '--kind', 'boot'],
    ['log', '--kind', 'catalogue'],
    ['log', '--kind', 'config'],
    ['log', '--client', EVIL],
  ],
  ...[['tasks'], ['tasks', '--all'], ['tasks', task], ['tasks', task, '--json'], ['tasks', EVIL]],
  ...[
    ['switchboard', '--once'],
    ['switchboard', '--json'],
    ['switchboard', 'check'],
    ['switchboard', 'check', '--json'],
  ],
  ...[
    ['switchboard', 'replay'],
    ['switchboard', 'remove', EVIL],
    ['switchboard', 'add', EVIL, 'ftp://x'],
    ['switchboard', EVIL],
  ],
  ...['records', 'calls', 'thoughts', 'tasks'].flatMap((what) => [
    ['export', '--what', what],
    ['export', '--what', what, '--format', 'csv'],
  ]),
  ...[
    ['prove', thought],
    ['prove', thought, '--json'],
    ['prove', EVIL],
    ['checkpoint'],
    ['erase', EVIL, '--reason', EVIL, '--yes'],
  ],
  ...[
    ['status', '--db', `/no/${EVIL}`],
    ['export', '--out', `/no/${EVIL}/x`],
    ['verify', `/no/${EVIL}`],
    ['log', '--since', EVIL],
  ],
  ...[
    ['prune', '--before', EVIL],
    ['restore', EVIL],
    [EVIL],
    [`--${EVIL}`],
    ['init', '--dry-run'],
    ['uninstall', '--dry-run'],
  ],
];

/** What came through on a terminal, by command; and how often the text was there to be seen, as marks. */
export const sweep = (hostile: Hostile, commands: readonly (readonly string[])[]) => {
  const seen: string[] = [];
  const offences = commands.flatMap((args) => {
    const { stdout } = onTerminal(hostile.place, args, 100);
    seen.push(stdout);
    const found = offence(stdout) ?? forgery(stdout);
    return found === undefined ? [] : [`${args.join(' ')}: ${found}`];
  });
  return { offences, marked: seen.filter((text) => text.includes('\\u202e')).length };
};
