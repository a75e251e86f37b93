// Which of its own tools Colibri lists, and the verifiable random function, through the clients people use.
import { expect, it } from 'vitest';
import { verifyVrf } from '../../src/vrf/ecvrf.js';
import { colibri, json } from '../support/command-line.js';
import { type ClientKind, connect, freshPlace, type Message } from '../support/serve.js';

const KINDS: readonly ClientKind[] = ['v1', 'v2 legacy', 'v2 modern'];
const SETS = { COLIBRI_TOOLSETS: 'consensus' };

const dataOf = (answer: Message): Message => answer.structuredContent.data;
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

it('vrf_eval, through three clients on one store: one output, one key, proved without the store', async () => {
  const place = freshPlace();
  const input = 'who reviews “T-0001”?';
  const answers: Message[] = [];
  for (const kind of KINDS) {
    const client = await connect(place, kind, SETS);
    const listed = (await client.listTools()).tools.map(({ name }: Message) => name);
    expect(listed.filter((name: string) => name === 'vrf_eval')).toEqual(['vrf_eval']);
    const answer = await client.callTool('vrf_eval', { input });
    expect(answer._meta?.['dev.colibri/receipt'].call, kind).toBeTypeOf('string'); // recorded
    answers.push(dataOf(answer));
    const other = dataOf(await client.callTool('vrf_eval', { input: '' }));
    expect(other.output_hex).not.toBe(dataOf(answer).output_hex);
    const long = await client.callTool('vrf_eval', { input: 'x'.repeat(4_097) });
    expect(long.structuredContent.error.code, kind).toBe('INVALID_PARAMS');
    await client.close();
  }
  const [first, ...others] = answers;
  for (const other of others) expect(other).toEqual(first);
  const { output_hex, proof_hex, public_key } = first as Message;
  const proved = verifyVrf(bytes(public_key), new TextEncoder().encode(input), bytes(proof_hex));
  expect(proved && Buffer.from(proved).toString('hex')).toBe(output_hex);

  const check = ['vrf', 'verify', '--key', public_key, '--proof', proof_hex, '--json'];
  expect(json(await colibri(place, [...check, '--input', input]))).toEqual({ proved: true, output_hex });
  const stdin = await colibri(place, [...check, '--input-file', '-', '--output', output_hex], { input });
  expect(stdin).toMatchObject({ code: 0, stderr: '' });
  expect(await colibri(place, [...check, '--input', 'another'])).toMatchObject({ code: 20 });
  const told = await colibri(place, [...check, '--input', input, '--output', '0'.repeat(128)]);
  expect({ code: told.code, ...json(told) }).toEqual({ code: 20, proved: false, output_hex });
  for (const wrong of [
    check,
    [...check, '--input', 'x', '--output', '00'],
    ['vrf', 'verify', '--key', 'x', '--proof', 'y'],
  ])
    expect(await colibri(place, wrong)).toMatchObject({ code: 1, stdout: '' });
  expect(await colibri(place, ['verify', '--json'])).toMatchObject({ code: 0 });
});

it('without the setting the 14 alone; an unknown set is refused', async () => {
  const client = await connect(freshPlace(), 'v2 modern');
  expect((await client.listTools()).tools).toHaveLength(14);
  await expect(client.callTool('vrf_eval', { input: '' })).rejects.toThrow(/vrf_eval/);
  await client.close();
  const refused = await colibri(freshPlace(), ['serve'], { env: { COLIBRI_TOOLSETS: 'core,dance' } });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('COLIBRI_TOOLSETS');
});

it('init writes the sets into an entry', async () => {
  const place = freshPlace();
  const print = ['init', '--client', 'cursor', '--scope', 'user', '--print', '--json', '--toolsets'];
  const [row] = json(await colibri(place, [...print, 'consensus']));
  expect(row.entry.env.COLIBRI_TOOLSETS).toBe('core,consensus');
  expect(await colibri(place, [...print, 'dance'])).toMatchObject({ code: 1 });
});
