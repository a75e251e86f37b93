// `colibri init --import`: which servers move, as what, and that no secret of theirs is left in the project.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as the files have it
import { expect, test, vi } from 'vitest';
import { clientHome } from '../support/client-home.js';
import { json } from '../support/command-line.js';
import { serverFile } from '../support/dial.js';
import { serve } from '../support/serve.js';
import { SECRET } from './init.shared.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

test('what moved answers behind Colibri at once: approved, with its secret and its environment', async () => {
  const at = clientHome();
  at.write(
    'project/tools/tell.mjs',
    `import { serve, text, tool } from ${JSON.stringify(serverFile('lines'))};
     const { TOKEN, ONLY_HERE } = process.env;
     serve({ tools: () => [tool('tell')], call: () => text(JSON.stringify({ TOKEN, ONLY_HERE, cwd: process.cwd() })) });`,
  );
  at.write(
    'project/.mcp.json',
    JSON.stringify({ mcpServers: { tell: { command: 'node', args: ['./tools/tell.mjs'], env: { TOKEN: SECRET } } } }),
  );
  const ran = await at.run(['init', '--client', 'claude-code', '--import', '--yes']);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/changed +tell/) });
  const checked = await at.run(['switchboard', 'check', '--start', '--json']);
  expect(json(checked).servers).toMatchObject([{ server: 'tell', verdict: 'answers' }]);

  const peer = serve(at.place, { env: { CLAUDE_PROJECT_DIR: at.project, ONLY_HERE: 'inherited' } });
  await peer.initialize();
  await peer.phase2();
  await peer.until(() => peer.stderr.includes('tell: STARTING → HEALTHY'), 20_000);
  const { result } = await peer.call('tell__tell', {});
  expect(JSON.parse(result.content[0].text)).toEqual({ TOKEN: SECRET, ONLY_HERE: 'inherited', cwd: at.project });
  await peer.end();
});
