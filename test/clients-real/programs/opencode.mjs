// opencode: a native program in a package for each platform.
import { join } from 'node:path';

const settings = (url) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'stub/stub-model',
  small_model: 'stub/stub-model',
  provider: {
    stub: {
      npm: '@ai-sdk/openai-compatible',
      name: 'stub',
      options: { baseURL: `${url}/v1`, apiKey: 'none' },
      models: { 'stub-model': { name: 'stub-model', tool_call: true, limit: { context: 200_000, output: 8_000 } } },
    },
  },
});

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: 'true',
  OPENCODE_DISABLE_MODELS_FETCH: 'true',
  OPENCODE_DISABLE_LSP_DOWNLOAD: 'true',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true',
  OPENCODE_DISABLE_SHARE: 'true',
};

export const opencode = {
  id: 'opencode',
  title: 'opencode',
  packages: ['opencode-ai@1.18.33'],
  prepare: async ({ place, url, dir, prompt }) => {
    await place.init('opencode');
    return {
      command: join(dir, 'node_modules', `opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
      args: ['run', prompt],
      env: { ...QUIET, OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(url)) },
    };
  },
};
