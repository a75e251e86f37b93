// Codex: a native program in a package, started by a small script. A server that is not ready within about a second is left out of the
// first turn, unless its entry says that it is required.
import { join } from 'node:path';

const settings = (url) => `model = "stub-model"
model_provider = "stub"
approval_policy = "never"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
wire_api = "responses"
`;

export const codex = {
  id: 'codex',
  title: 'Codex',
  packages: ['@openai/codex@0.169.0'],
  isInGate: true,
  isImpatient: true,
  known: { 'late tools': 'tools that came later were not offered in that session' },
  prepare: async ({ place, url, dir, node, prompt, isCold }) => {
    place.write('.codex/config.toml', settings(url));
    await place.init('codex', ...(isCold ? [] : ['--required']));
    const script = join(dir, 'node_modules', '@openai', 'codex', 'bin', 'codex.js');
    const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
    return { command: node, args: [script, 'exec', ...flags, prompt], env: {} };
  },
};
