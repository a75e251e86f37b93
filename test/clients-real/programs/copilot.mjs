// GitHub Copilot's command line, with a model of one's own.
import { join } from 'node:path';

export const copilot = {
  id: 'copilot',
  title: 'Copilot CLI',
  packages: ['@github/copilot@1.0.102'],
  known: { instructions: 'it does not show its model what servers say of themselves' },
  prepare: async ({ place, url, dir, prompt }) => {
    await place.init('copilot');
    // Its script does not pass signals on.
    const command = join(dir, 'node_modules', '@github', `copilot-${process.platform}-${process.arch}`, 'copilot');
    return {
      command,
      args: ['-p', prompt, '--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps'],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_API_KEY: 'none',
        COPILOT_MODEL: 'stub-model',
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
      },
    };
  },
};
