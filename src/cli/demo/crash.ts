// The demo's second step: `colibri serve` is killed while it writes, and a new one finds every thought that was acknowledged.
import * as z from 'zod';
import type { DemoClient } from './client.js';
import type { Cast } from './play.js';
import type { Scratch } from './scratch.js';
import { ClaimFailed, type Story } from './story.js';

/** The server is killed after ANSWERS responses, while WRITERS calls are in flight. */
const WRITERS = 8;
const ANSWERS = 40;
const MEASUREMENT = 'Measurement';

const recorded = z.looseObject({ thought_id: z.string() });

/** Returns undefined for a lost connection; rethrows the error of a wrong response. */
const noAnswer = (thrown: unknown): undefined => {
  if (thrown instanceof ClaimFailed) throw thrown;
};

/** Writes thoughts without pause until the server is gone. */
const writeUntilGone = async (
  client: DemoClient,
  session: string,
  acknowledged: string[],
  enough: () => void,
): Promise<void> => {
  for (let n = 1; ; n++) {
    const content = `${MEASUREMENT} ${n}: orders filtered by date, 2100 ms.`;
    const thought = await client
      .ask('thought_record', { session_id: session, type: 'analysis', content }, recorded)
      .catch(noAnswer);
    if (thought === undefined) return;
    acknowledged.push(thought.thought_id);
    if (acknowledged.length === ANSWERS) enough();
  }
};

/** Kills the server while it writes thoughts. Returns the ids of the acknowledged thoughts. */
export const killWhileWriting = async (story: Story, client: DemoClient, session: string): Promise<string[]> => {
  const acknowledged: string[] = [];
  let killed: Promise<boolean> | undefined;
  const kill = (): void => {
    killed = client.stop('SIGKILL');
  };
  await Promise.all(Array.from({ length: WRITERS }, () => writeUntilGone(client, session, acknowledged, kill)));
  const gone = (await killed) === true;
  story.claim(gone && acknowledged.length >= ANSWERS, {
    claim: `the server is dead; ${acknowledged.length} thoughts had been acknowledged, ${WRITERS} calls had no answer yet`,
    data: { acknowledged: acknowledged.length, unanswered: WRITERS },
    found: { gone, acknowledged: acknowledged.length },
  });
  return acknowledged;
};

const page = z.looseObject({
  thoughts: z.array(z.looseObject({ thought_id: z.string(), content: z.string() })),
  next_cursor: z.string().nullable(),
});
type Page = z.infer<typeof page>;

/** The texts of a session's thoughts, by the ids of the thoughts. */
export const demoThoughts = async (client: DemoClient, session_id: string): Promise<Map<string, string>> => {
  const contents = new Map<string, string>();
  let cursor: string | null = null;
  do {
    const from: { cursor?: string } = cursor === null ? {} : { cursor };
    const listed: Page = await client.ask('thought_record_list', { session_id, limit: 500, ...from }, page);
    for (const { thought_id, content } of listed.thoughts) contents.set(thought_id, content);
    cursor = listed.next_cursor;
  } while (cursor !== null);
  return contents;
};

const signed = z.looseObject({ size: z.int(), root: z.string() });

/** Signs the log: the killed server could not, and without a signed head a rollback cannot be detected. */
const signLog = async (story: Story, scratch: Scratch): Promise<void> => {
  const ran = await scratch.colibri(['checkpoint', '--json']);
  const head = signed.safeParse(JSON.parse(ran.stdout || '{}')).data;
  story.claim(ran.code === 0 && head !== undefined, {
    claim: `the log is signed: a head over its ${head?.size} records, kept outside the store`,
    lines: ['colibri checkpoint: exit 0'],
    data: { size: head?.size, root: head?.root },
    found: ran,
  });
};

/** Checks with the next server and with `verify` that no acknowledged thought was lost. */
export const nothingLost = async (cast: Cast, client: DemoClient, session: string, acknowledged: string[]) => {
  const { scratch, receipts } = cast;
  const there = await demoThoughts(client, session);
  const lost = acknowledged.filter((id) => !there.has(id));
  const written = [...there.values()].filter((content) => content.startsWith(MEASUREMENT)).length;
  const unheard = written - acknowledged.length;
  cast.story.claim(lost.length === 0 && unheard <= WRITERS, {
    claim: `the next server has all ${acknowledged.length} thoughts that were acknowledged`,
    lines: [
      `of the ${WRITERS} calls without an answer ${unheard} had been carried out, ${WRITERS - unheard} not at all`,
    ],
    data: { lost: lost.length, unheard },
    found: { lost, written },
  });
  await signLog(cast.story, scratch);
  const { code, valid, findings } = await scratch.verifyReceipts(receipts);
  cast.story.claim(code === 0 && valid && findings.length === 0, {
    claim: `every receipt that the client kept is in the ledger: ${receipts.length} of ${receipts.length}`,
    lines: ['colibri verify --receipts receipts.jsonl: exit 0'],
    data: { receipts: receipts.length, exit: code },
    found: { code, findings },
  });
};
