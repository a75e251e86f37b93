// Clients that have a command of their own for it: that is used where it is on the PATH, and looked at afterwards.
import { expect, test, vi } from 'vitest';
import { entryOf, STATE, withClaude } from './init.shared.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

test('claude mcp add-json, with the scope and in the project; undo gives every byte back', async () => {
  const at = withClaude();
  const before = at.snapshot();
  for (const scope of ['user', 'local']) {
    const ran = await at.run(['init', '--client', 'claude-code', '--scope', scope, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("by the client's own command:") });
    const call = at.calls().at(-1);
    expect(call).toMatchObject({
      args: ['mcp', 'add-json', '--scope', scope, 'colibri', expect.anything()],
      cwd: at.project,
    });
    expect(JSON.parse(call?.args[5] ?? '')).toEqual(entryOf(at));
    const state = JSON.parse(at.read(STATE));
    expect((scope === 'user' ? state : state.projects[at.project]).mcpServers.colibri).toEqual(entryOf(at));
    expect(state.numStartups).toBe(13);
    expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
    expect(at.snapshot()).toEqual(before);
  }
});
