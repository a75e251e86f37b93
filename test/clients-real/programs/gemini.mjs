// Gemini CLI, and Qwen Code, which began as a copy of it and speaks to its model as OpenAI's chat does.
import { join } from 'node:path';

const settings = (auth) => ({
  general: { disableAutoUpdate: true, enableAutoUpdate: false, checkpointing: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { auth: { selectedType: auth }, folderTrust: { enabled: false } },
});

export const gemini = {
  id: 'gemini',
  title: 'Gemini CLI',
  packages: ['@google/gemini-cli@0.61.0'],
  needsNode: true,
  prepare: async ({ place, url, dir, node, prompt }) => {
    place.write('.gemini/settings.json', settings('gemini-api-key'));
    await place.init('gemini');
    const script = join(dir, 'node_modules', '@google', 'gemini-cli', 'bundle', 'gemini.js');
    return {
      command: node,
      args: [script, '-p', prompt, '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
      env: {
        GEMINI_API_KEY: 'none',
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};

export const qwen = {
  id: 'qwen',
  title: 'Qwen Code',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  known: { 'late tools': 'tools that came later were not offered in that session' },
  needsNode: true,
  prepare: async ({ place, url, dir, node, prompt }) => {
    place.write('.qwen/settings.json', settings('openai'));
    await place.init('qwen');
    // The script that usually starts this one does not pass signals on.
    const script = join(dir, 'node_modules', '@qwen-code', 'qwen-code', 'cli.js');
    return {
      command: node,
      args: [script, '-p', prompt, '--approval-mode', 'yolo'],
      env: {
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: 'stub-model',
        QWEN_CODE_NO_RELAUNCH: 'true',
      },
    };
  },
};
