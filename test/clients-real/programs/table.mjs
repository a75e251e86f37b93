// Every client that is tried, in the order of the table in docs/clients.md.
import { claudeCode, claudeCodeBefore } from './claude-code.mjs';
import { cline } from './cline.mjs';
import { codex } from './codex.mjs';
import { copilot } from './copilot.mjs';
import { gemini, qwen } from './gemini.mjs';
import { aiSdk, inspector, langchain, openaiAgents } from './libraries.mjs';
import { opencode } from './opencode.mjs';

export const PROGRAMS = [
  claudeCode,
  claudeCodeBefore,
  codex,
  gemini,
  qwen,
  opencode,
  copilot,
  cline,
  aiSdk,
  langchain,
  openaiAgents,
  inspector,
];
