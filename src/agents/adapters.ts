import type { AgentAdapter } from './adapter.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { gemini } from './adapters/gemini.ts';
import { mock } from './mock.ts';

/** The agents that are known by name. */
export const ADAPTERS = { claude, gemini, codex, mock } satisfies Record<string, AgentAdapter>;

export type AdapterName = keyof typeof ADAPTERS;
