import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REFUSAL_KEY, type RefusalResult } from '../call/answer.js';
import { outcomeUnknown, toolBusy, toolTimeout, toolUnavailable, type Unavailable } from './refusal.js';

const place = { server: 'brave-search', tool: 'web_search' };
const refused: Unavailable = {
  ...place,
  state: 'QUARANTINE',
  reason: 'readiness_failures',
  text: '3 readiness failures in a row',
  retryAfterMs: 41_199.3,
  alternatives: [{ server: 'google-search', tool: 'search' }],
};
const sentence = ({ content }: RefusalResult) => content[0].text;

it('TOOL_UNAVAILABLE, whole', () => {
  const envelope = {
    ok: false,
    error: {
      code: 'TOOL_UNAVAILABLE',
      status: 503,
      message: '503 Service Unavailable (Tool: brave-search)',
      details: {
        server: 'brave-search',
        tool: 'web_search',
        state: 'QUARANTINE',
        reason: 'readiness_failures',
        retry_after_ms: 41_200,
        alternatives: [{ server: 'google-search', tool: 'search' }],
      },
    },
  };
  const result = toolUnavailable(refused);
  expect(result).toEqual({
    isError: true,
    content: [
      {
        type: 'text',
        text: 'The tool web_search of brave-search is not available: 3 readiness failures in a row. Try again in 42 s, or use search of google-search.',
      },
      { type: 'text', text: expect.any(String) },
    ],
    _meta: { 'dev.colibri/refusal': envelope },
  });
  expect(JSON.parse(result.content[1].text)).toEqual(envelope);
});

it('says when trying again is of no use', () => {
  expect(sentence(toolUnavailable({ ...refused, retryAfterMs: null, alternatives: [] }))).toMatch(
    /Trying again will not help until a person acts\.$/,
  );
});

it.each([
  ['TOOL_BUSY', toolBusy(place, 64), { waiting: 64, retry_after_ms: 1_000 }],
  ['TOOL_TIMEOUT', toolTimeout(place, 50_000), { timeout_ms: 50_000, safe_to_retry: true }],
  [
    'OUTCOME_UNKNOWN',
    outcomeUnknown({ ...place, sentAt: '2026-11-15T18:30:00.123Z', how: 'lost' }),
    { sent_at: '2026-11-15T18:30:00.123Z', how: 'lost', safe_to_retry: false },
  ],
])('%s', (code, result, details) => {
  expect(result._meta[REFUSAL_KEY].error).toMatchObject({ code, details: { ...place, ...details } });
  expect(sentence(result)).toContain('web_search of brave-search');
});

describe('whatever names and texts a server has', () => {
  const foreign = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\ud800', 'a\nb', 'x'.repeat(10_000), '\u0000'),
  );
  it('a refusal is a result that clients take, on one line, without structuredContent', () => {
    fc.assert(
      fc.property(foreign, foreign, foreign, (server, tool, text) => {
        const results = [
          toolUnavailable({ ...refused, server, tool, text, alternatives: [{ server, tool }] }),
          toolBusy({ server, tool }, 1),
          toolTimeout({ server, tool }, 1),
          outcomeUnknown({ server, tool, sentAt: 'now', how: 'timeout' }),
        ];
        for (const result of results) {
          expect(CallToolResultSchema.safeParse(result).success).toBe(true);
          expect(result).not.toHaveProperty('structuredContent');
          expect(sentence(result)).not.toContain('\n');
          expect(sentence(result).length).toBeLessThanOrEqual(300);
          expect(JSON.parse(result.content[1].text)).toEqual(result._meta[REFUSAL_KEY]);
        }
      }),
    );
  });
});
