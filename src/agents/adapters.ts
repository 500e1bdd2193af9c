import type { AgentName } from '../model/agent.ts';
import type { AgentAdapter } from './adapter.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { gemini } from './adapters/gemini.ts';
import { mock } from './mock.ts';

export const ADAPTERS: { readonly [Name in AgentName]: AgentAdapter } = { claude, gemini, codex, mock };
