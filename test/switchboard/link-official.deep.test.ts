// The official servers, started by their own binaries.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cancelledBy } from '../../src/core/cancellation.js';
import { binary, callTool, linkPlace, textOf } from '../support/dial.js';
import { linkBasics } from './link-contract.js';

linkBasics('server-everything', {
  era: 'legacy',
  dial: (place) => place.stdio(binary('mcp-server-everything'), []),
  call: 'echo',
  arguments: { message: 'hello there' },
  contains: () => 'hello there',
});

linkBasics('server-filesystem', {
  era: 'legacy',
  dial: (place) => place.stdio(binary('mcp-server-filesystem'), [place.dir]),
  call: 'list_allowed_directories',
  contains: ({ dir }) => dir,
});

linkBasics('server-memory', {
  era: 'legacy',
  dial: (place) => place.stdio(binary('mcp-server-memory'), [], { MEMORY_FILE_PATH: join(place.dir, 'memory.json') }),
  call: 'read_graph',
  contains: () => 'entities',
});

describe('server-everything', () => {
  it('shows more tools to a client that offers more', async () => {
    const few = linkPlace();
    const less = await few.dial(few.stdio(binary('mcp-server-everything'), []));
    const many = linkPlace({ capabilities: () => ({ roots: {}, sampling: {}, elicitation: {} }) });
    const more = await many.dial(many.stdio(binary('mcp-server-everything'), []));
    if (!('tools' in less.end && 'tools' in more.end)) throw new Error('no connection');
    expect(more.end.tools.length).toBeGreaterThan(less.end.tools.length);
  });

  it('reports progress, and stops when it is told', async () => {
    const place = linkPlace();
    const link = await place.link(place.stdio(binary('mcp-server-everything'), []));
    const seen: unknown[] = [];
    const answer = await link.request({
      method: 'tools/call',
      params: { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 5 } },
      timeoutMs: 600,
      onProgress: ({ progress }) => void seen.push(progress),
    });
    expect(textOf(answer)).toContain('completed');
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    const cut = await link.request({
      method: 'tools/call',
      params: { name: 'trigger-long-running-operation', arguments: { duration: 20, steps: 2 } },
      timeoutMs: 10_000,
      cancellation: cancelledBy(AbortSignal.timeout(200)),
    });
    expect(cut.end.how).toBe('cancelled');
    expect(textOf(await callTool(link, 'echo', { message: 'still here' }))).toContain('still here');
  });
});
