import type { AgentName } from '../../model/agent.ts';
import type { AgentAdapter } from '../adapter.ts';
import { mock } from '../mock.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';

export const ADAPTERS: { readonly [Name in AgentName]: AgentAdapter } = { claude, gemini, codex, mock };
