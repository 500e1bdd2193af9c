/** From the choice of an agent to the process to run. */
import {
  type AgentAdapter,
  type AgentCall,
  type AgentRequest,
  fitsArgument,
  LONGEST_ARGUMENT,
} from '../../agents/adapter.ts';
import { ADAPTERS } from '../../agents/adapters/all.ts';
import type { PlainReading } from '../../agents/plain.ts';
import { isSessionId } from '../../agents/session-id.ts';
import { NO_BEARER_TOKEN, TOOL_KEYS_OF, type ToolKey, toolKeysIn } from '../../model/agent-tools.ts';
import { ASKING_AGENTS, canAsk } from '../../model/ask-rule.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { maskText } from '../../process/mask.ts';
import { firstText } from '../capture.ts';
import type { AgentChoice, RunAgentInput, TemplateArgument } from '../contracts.ts';
import type { AgentInputHere } from '../site-paths.ts';
import type { ToolFiles } from './prepare.ts';

export interface PlannedCall {
  /** The agent's name, as the user knows it. */
  readonly name: string;
  readonly call: AgentCall;
  /** For display: masked and shortened. */
  readonly shownArgv: readonly string[];
  readonly reading: Reading;
  /** Requested options that this agent does not support. */
  readonly unkept: readonly string[];
}

/** How the output is interpreted. */
export type Reading =
  | { readonly type: 'events'; readonly adapter: AgentAdapter }
  | { readonly type: 'plain'; readonly plain: PlainReading };

export interface PlanOptions {
  readonly input: AgentInputHere;
  readonly prompt: string;
  readonly schemaFile: string;
  readonly toolFiles: ToolFiles;
  readonly session: RunAgentInput['session'];
  readonly isSameTask: boolean;
  readonly mask: readonly string[];
  /** The command that checks its tool calls. */
  readonly guard?: string;
}

export function planCall(options: PlanOptions): Result<PlannedCall, Failure> {
  const { input, session } = options;
  const { agent } = input;
  if (session !== undefined && !isSessionId(session.sessionId)) {
    return refused(`\`${session.sessionId}\` is not the id of a conversation`);
  }
  if (session?.type === 'fork' && agent.type === 'builtin' && !ADAPTERS[agent.adapter].forks) {
    return refused(`${agent.adapter} cannot continue a copy of a conversation`);
  }
  const name = agent.type === 'builtin' ? agent.adapter : agent.name;
  if ((input.ask ?? []).length > 0 && !(agent.type === 'builtin' && canAsk(name)))
    return refused(
      `\`ask\` needs an agent that can stop at a tool call (${ASKING_AGENTS.join(', ')}), and \`${name}\` cannot; \`ask: []\` runs it without these rules`,
    );
  const missing = unsupportedTools(input);
  if (hasStrayToken(input)) return refused(`${name} cannot take \`bearer_token\` from the environment`);
  if (missing.length > 0) return refused(`${name} has no option for ${missing.join(', ')}`);
  const planned = agent.type === 'builtin' ? planBuiltin(agent, options) : planTemplate(agent, options);
  const shownArgv = planned.call.argv.map((argument) => shorten(maskText(argument, options.mask)));
  for (const argument of planned.call.argv) {
    if (fitsArgument(argument)) continue;
    return error({ type: 'prompt-too-long', bytes: Buffer.byteLength(argument), limit: LONGEST_ARGUMENT });
  }
  return ok({ ...planned, shownArgv });
}

function refused(message: string): { readonly type: 'error'; readonly error: Failure } {
  return error({ type: 'agent', outcome: { type: 'invalid-input', message } });
}

/** The loader has checked the agents of the file; `--agent` chooses another one. */
function unsupportedTools({ agent, tools }: RunAgentInput): readonly ToolKey[] {
  const supported = agent.type === 'builtin' ? TOOL_KEYS_OF[agent.adapter] : [];
  return toolKeysIn(tools ?? {}).filter((key) => !supported.includes(key));
}

/** The loader has checked this too. */
function hasStrayToken({ agent, tools }: RunAgentInput): boolean {
  if (agent.type !== 'builtin' || tools?.mcp?.type !== 'servers') return false;
  const servers = Object.values(tools.mcp.servers);
  return NO_BEARER_TOKEN.includes(agent.adapter) && servers.some((server) => 'bearerToken' in server);
}

type Planned = Omit<PlannedCall, 'shownArgv'>;

function planBuiltin(agent: Extract<AgentChoice, { type: 'builtin' }>, options: PlanOptions): Planned {
  const { input } = options;
  const adapter = ADAPTERS[agent.adapter];
  const request: AgentRequest = {
    prompt: options.prompt,
    isSameTask: options.isSameTask,
    schemaFile: options.schemaFile,
    ...defined({
      command: agent.command,
      extraArgs: agent.extraArgs,
      model: input.model,
      systemPrompt: input.systemPrompt,
      jsonSchema: input.jsonSchema,
      session: options.session,
      maxTurns: input.maxTurns,
      maxBudgetUsd: input.maxBudgetUsd,
      permissions: input.permissions,
      folders: input.folders,
      isSandboxed: input.sandbox === undefined ? undefined : true,
      toolsOff: input.toolsOff,
      tools: input.tools,
      guard: options.guard,
    }),
    ...(adapter.takesSessionId === true ? { newSessionId: crypto.randomUUID() } : {}),
    ...options.toolFiles,
  };
  return {
    name: agent.adapter,
    call: adapter.call(request),
    reading: { type: 'events', adapter },
    unkept: input.maxBudgetUsd !== undefined && !adapter.limitsBudget ? ['max_budget_usd'] : [],
  };
}

/** Runs the command exactly as written. */
function planTemplate(agent: Extract<AgentChoice, { type: 'template' }>, options: PlanOptions): Planned {
  const { input, prompt } = options;
  const unkept = Object.entries({
    max_budget_usd: input.maxBudgetUsd,
    ...(agent.adapter === 'plain' ? { max_turns: input.maxTurns } : {}),
    session: options.session,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return {
    name: agent.name,
    call: {
      argv: agent.argv.map((argument) => renderArgument(argument, prompt)),
      stdin: agent.inputMode === 'stdin' ? prompt : '',
      env: {},
    },
    reading:
      agent.adapter === 'plain'
        ? { type: 'plain', plain: agent.reading ?? { result: 'text' } }
        : { type: 'events', adapter: ADAPTERS[agent.adapter] },
    unkept,
  };
}

function renderArgument(argument: TemplateArgument, prompt: string): string {
  return typeof argument === 'string' ? argument : argument.promptBetween.join(prompt);
}

const LONGEST_SHOWN = 2000;

function shorten(argument: string): string {
  const bytes = Buffer.from(argument);
  return bytes.length <= LONGEST_SHOWN
    ? argument
    : `${firstText(bytes, LONGEST_SHOWN)}… (${bytes.length} bytes)`;
}
