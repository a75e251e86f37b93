import { describe, expect, it } from 'vitest';
import { followed } from './http-fetch.js';
import { HttpRefusal } from './http-refusal.js';

const HOME = 'http://home.test:81/mcp';

/** Answers with one redirect after the other, then with 200. */
const redirecting = (...steps: readonly (readonly [number, string])[]) => {
  const asked: string[] = [];
  const inner = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    asked.push(`${init?.method} ${url} ${new Headers(init?.headers).get('x-api-key')} ${init?.redirect} ${init?.body}`);
    const [status, location] = steps[asked.length - 1] ?? [200, ''];
    return new Response(null, { status, headers: location === '' ? {} : { location } });
  };
  const init = { method: 'POST', headers: { 'x-api-key': 'k' }, body: 'b' };
  return { asked, answer: followed(inner, HOME, init) };
};

describe('a redirect', () => {
  it.each([307, 308])('%d is followed within the origin, as it was asked', async (status) => {
    const { asked, answer } = redirecting([status, '/other?x=1'], [308, 'http://home.test:81/third']);
    expect((await answer).status).toBe(200);
    expect(asked).toEqual([
      `POST ${HOME} k manual b`,
      'POST http://home.test:81/other?x=1 k manual b',
      'POST http://home.test:81/third k manual b',
    ]);
  });

  it.each([
    [307, 'http://other.test:81/mcp', 'http://other.test:81/mcp'],
    [307, 'http://home.test:82/mcp', 'http://home.test:82/mcp'],
    [308, 'https://home.test:81/mcp', 'https://home.test:81/mcp'],
    [308, '//other.test/mcp', 'http://other.test/mcp'],
    [307, 'http://user:word@home.test:81/mcp', 'http://home.test:81/mcp'],
    [307, 'http://home.test:81@evil.test/?token=t0p', 'http://evil.test/'],
    [302, '/other', 'http://home.test:81/other'],
    [301, '/other', 'http://home.test:81/other'],
    [303, '/other', 'http://home.test:81/other'],
    [307, 'file:///etc/passwd', 'file:///etc/passwd'],
    [307, 'http://', 'an invalid address'],
    [307, '', 'an invalid address'],
  ])('%d to %s is refused, with its target', async (status, location, shown) => {
    const { asked, answer } = redirecting([status, location]);
    const thrown = await answer.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(HttpRefusal);
    expect((thrown as Error).message).toContain(` to ${shown};`);
    expect((thrown as Error).message).not.toMatch(/word|t0p/);
    expect(asked).toHaveLength(1);
  });

  it('is followed three times and no more', async () => {
    const steps = Array.from({ length: 9 }, (_, at) => [307, `/${at}`] as const);
    const three = redirecting(...steps.slice(0, 3));
    expect((await three.answer).status).toBe(200);
    const endless = redirecting(...steps);
    await expect(endless.answer).rejects.toThrow('more than 3 times');
    expect(endless.asked).toHaveLength(4);
  });
});
