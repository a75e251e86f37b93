// The four tools of the trail as clients see them.
import type { ColibriServerContext } from '../../call/context.js';
import { registerColibriTool } from '../../call/registry.js';
import type { RuntimeMode } from '../../modes.js';
import { listInput, listThoughts } from './list.js';
import { recordInput, recordThought, type Skill } from './record.js';
import { startInput, startSession } from './session-start.js';
import { type VerifyChain, verifyChain, verifyInput } from './verify-chain.js';

const READERS: readonly RuntimeMode[] = ['FULL', 'TEST', 'READONLY'];
const WRITERS: readonly RuntimeMode[] = ['FULL', 'TEST'];
const READS = { readOnlyHint: true, openWorldHint: false } as const;
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** What these tools need from elsewhere. */
export interface TrailNeeds {
  readonly verify: VerifyChain;
  readonly resolveSkill: (name: string) => Promise<Skill | undefined>;
}

export const registerTrailTools = (ctx: ColibriServerContext, { verify, resolveSkill }: TrailNeeds): void => {
  registerColibriTool(
    ctx,
    'audit_session_start',
    {
      errorPattern: 'B',
      title: 'Start session',
      description: 'Open a session of your own, to seal with merkle_finalize. Thoughts need none.',
      inputSchema: startInput,
      effect: 'write',
      keepsTexts: ['intent'],
      admittedIn: WRITERS,
      annotations: WRITES,
    },
    startSession,
  );
  registerColibriTool(
    ctx,
    'thought_record',
    {
      errorPattern: 'A',
      title: 'Record thought',
      description: 'Put a plan, finding, decision or lesson and its reasons on record, when you have it.',
      inputSchema: recordInput,
      effect: 'write',
      prepare: async ({ skill }) => (skill === undefined ? undefined : resolveSkill(skill)),
      keepsTexts: ['content'],
      admittedIn: WRITERS,
      annotations: WRITES,
      meta: { 'anthropic/alwaysLoad': true },
    },
    recordThought,
  );
  registerColibriTool(
    ctx,
    'thought_record_list',
    {
      errorPattern: 'A',
      title: 'List thoughts',
      description: 'Read thoughts in order, contents cut: of a session, of a task, or all.',
      inputSchema: listInput,
      effect: 'read',
      admittedIn: READERS,
      annotations: READS,
    },
    listThoughts,
  );
  registerColibriTool(
    ctx,
    'audit_verify_chain',
    {
      errorPattern: 'A',
      title: 'Verify',
      description: 'Check that no record was changed or taken out: of a session, of a task, or at all.',
      inputSchema: verifyInput,
      effect: 'read',
      ownSnapshots: true,
      admittedIn: READERS,
      annotations: READS,
    },
    verifyChain(verify),
  );
};
