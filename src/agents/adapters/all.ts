import type { AgentName } from '../../model/agent.ts';
import type { AgentAdapter } from '../adapter.ts';
import { mock } from '../mock.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

export const ADAPTERS: { readonly [Name in AgentName]: AgentAdapter } = {
  claude,
  gemini,
  codex,
  opencode,
  copilot,
  qwen,
  mock,
};
