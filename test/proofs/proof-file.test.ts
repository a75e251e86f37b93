// merkle_root with `file` on the wire: the file is where it should be, holds for somebody who has only the key, and is never written
// through a link that somebody planted.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test as bothTests, expect } from 'vitest';
import { casesHere, deepTest } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { sha256 } from '../support/ledger-check.js';
import { checkFile, keyOf } from '../support/naive-proof.js';
import { type ClientKind, connect, freshPlace, type Place } from '../support/serve.js';
import { rowsOf, type Tools, toolsOf } from '../support/trail-tools.js';

/** A sealed session with one thought. */
const sealed = async (tools: Tools): Promise<{ session_id: string; thought_id: string }> => {
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
  const { thought_id } = await tools.ok('thought_record', {
    session_id,
    type: 'plan',
    content: '../x\n'.repeat(9_000),
  });
  await tools.ok('merkle_finalize', { session_id });
  return { session_id, thought_id };
};

const logIn = ({ db }: Place): string => String(rowsOf(db, 'SELECT log_id FROM logs')[0]?.log_id);

/** The log's public key as a C2SP vkey. */
const vkeyOf = (log: string, key: string): string => {
  const [name, bytes] = [`colibri.dev/log/${log}`, Buffer.concat([Buffer.from([1]), Buffer.from(key, 'hex')])];
  return [name, sha256(`${name}\n`, bytes).slice(0, 8), bytes.toString('base64')].join('+');
};

/** A place whose project has a `.colibri` folder. */
const inProject = (): { place: Place; own: string } => {
  const place = freshPlace();
  const own = join(place.dir, 'shop', '.colibri');
  fs.mkdirSync(own, { recursive: true });
  place.env.COLIBRI_PROJECT_DIR = join(place.dir, 'shop');
  return { place, own };
};

bothTests.each(casesHere(['v2 modern', 'v1'] satisfies ClientKind[]))(
  '%s: the file holds, with the key alone',
  async (kind) => {
    const { place, own } = inProject();
    const client = await connect(place, kind);
    const tools = toolsOf(client);
    const of = await sealed(tools);
    const asked = { ...of, file: kind === 'v1' ? 'True' : true };
    const { proof_path, ...rest } = await tools.ok('merkle_root', asked);
    expect(proof_path).toBe(join(own, 'proofs', `${of.thought_id}.tlog-proof`));
    expect(Object.keys(rest).toSorted()).toEqual(['finalized_at', 'record_count', 'root', 'session_id']);
    expect(await tools.ok('merkle_root', asked)).toMatchObject({ proof_path });
    await client.close();
    expect(fs.readdirSync(join(own, 'proofs'))).toHaveLength(1);
    expect(fs.statSync(proof_path).mode & 0o077).toBe(0);
    const log = logIn(place);
    const key = keyOf(place.db, log);
    expect(checkFile(fs.readFileSync(proof_path, 'utf8'), key)).toBe('../x\n'.repeat(9_000));
    const ran = await colibri(freshPlace(), ['verify', proof_path, '--key', vkeyOf(log, key)]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^OK {2}proof/) });
    expect((await colibri(place, ['verify'])).code).toBe(0);
  },
);

deepTest(
  'beside the store where there is no .colibri; a planted link is refused and nothing is written through it',
  async () => {
    const place = freshPlace();
    const client = await connect(place, 'v2 modern');
    const tools = toolsOf(client);
    const of = await sealed(tools);
    const [folder, away] = [`${place.db}.proofs`, join(place.dir, 'away')];
    const file = join(folder, `${of.thought_id}.tlog-proof`);
    fs.mkdirSync(away);
    fs.writeFileSync(join(away, 'victim'), 'as it was');

    fs.symlinkSync(away, folder);
    const linked = await tools.no('merkle_root', { ...of, file: true });
    expect(linked).toMatchObject({
      code: 'ERR_PROOF_NOT_WRITTEN',
      details: { path: file, reason: expect.stringContaining('link') },
    });
    fs.unlinkSync(folder);
    fs.mkdirSync(folder);
    fs.symlinkSync(join(away, 'victim'), file);
    const refused = await tools.no('merkle_root', { ...of, file: true });
    expect(refused).toMatchObject({ code: 'ERR_PROOF_NOT_WRITTEN' });
    for (const { tool, arguments: args } of refused.details.next) await tools.ok(tool, args);
    expect(fs.readdirSync(away)).toEqual(['victim']);
    expect(fs.readFileSync(join(away, 'victim'), 'utf8')).toBe('as it was');

    fs.unlinkSync(file);
    expect(await tools.ok('merkle_root', { ...of, file: true })).toMatchObject({ proof_path: file });
    const alone = await client.callTool('merkle_root', { session_id: of.session_id, file: true });
    expect(alone).toMatchObject({
      isError: true,
      structuredContent: { error: { message: expect.stringContaining('file needs thought_id') } },
    });
    await client.close();
  },
);

deepTest('a .colibri that is a link is not written into', async () => {
  const { place, own } = inProject();
  const away = join(place.dir, 'away');
  fs.rmdirSync(own);
  fs.mkdirSync(away);
  fs.symlinkSync(away, own);
  const client = await connect(place, 'v2 legacy');
  const tools = toolsOf(client);
  const { proof_path } = await tools.ok('merkle_root', { ...(await sealed(tools)), file: true });
  expect(proof_path.startsWith(`${place.db}.proofs/`)).toBe(true);
  expect(fs.readdirSync(away)).toEqual([]);
  await client.close();
});
