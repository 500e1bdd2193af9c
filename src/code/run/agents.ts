import type {
  AgentChoice,
  RunAgentInput,
  RunAgentOutput,
  TemplateArgument,
} from '../../effects/contracts.ts';
import { AGENT_NAMES, type AgentName } from '../../model/agent.ts';
import { secretsOfTools } from '../../model/agent-tools.ts';
import { defined } from '../../model/defined.ts';
import type { StepRecord } from '../../model/record.ts';
import { ok } from '../../model/result.ts';
import { chooseSandbox } from '../../model/sandbox.ts';
import { nearest } from '../../model/suggest.ts';
import { type AgentCall, askAgent } from '../../steps/ask-agent.ts';
import { admit } from '../../steps/budget.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import { prove, subjectIn } from '../../steps/proof.ts';
import { AGENT_RETRY } from '../../steps/retry-policy.ts';
import { endOf, type SiteCall } from '../../steps/site.ts';
import type { AgentDeclaration, AgentOptions, AgentResult } from '../written/calls.ts';
import { processInput, retryOf } from './commands.ts';
import { milliseconds } from './durations.ts';
import { stepFailed } from './failed-calls.ts';
import { checkAgentOptions } from './given-options.ts';
import { jsonSchemaOf, schemaOf, validated } from './schemas.ts';
import type { Scope } from './scope.ts';

/** Where the prompt stands in a command line. */
const PROMPT = /\$\{PROMPT\}/;

export function callAgent<Data>(
  scope: Scope,
  name: string,
  options: AgentOptions<Data>,
): Promise<AgentResult<Data>> {
  return scope.call(name, async (call) => {
    const agentCall = agentCallOf(scope, { name, call, options: options as AgentOptions });
    scope.execution.host.maskSecrets?.(agentCall.inputs.flatMap(({ secrets = [] }) => secrets));
    const admitted = await admit(call);
    const record =
      admitted.type === 'error'
        ? (await failedAtOnce(call, admitted.error)).record
        : await askAgent(agentCall, admitted.value);
    if (record.failure !== undefined && options.allowFailure !== true)
      throw stepFailed(scope, call, { failure: record.failure, retryKeys: endOf(call, record).retryKeys });
    return agentResult(record, options);
  });
}

async function agentResult<Data>(
  record: StepRecord & Pick<RunAgentOutput, 'answer' | 'structured' | 'usage'>,
  { schema }: AgentOptions<Data>,
): Promise<AgentResult<Data>> {
  const value = record.json ?? record.structured;
  // The raw answer is recorded: what the schema makes of it follows the program of today.
  const data =
    schema === undefined || record.failure !== undefined
      ? ok(undefined)
      : await validated(schemaOf(schema), value);
  const { exitCode, durationMs, sessionId, spent, failure } = record;
  return {
    data: (data.type === 'ok' ? data.value : undefined) as Data,
    text: record.answer ?? record.output ?? '',
    ...{ exitCode, durationMs, sessionId },
    costUsd: spent?.costUsd ?? undefined,
    usage: spent?.usage ?? record.usage,
    ...defined({ failure }),
  };
}

interface Asked {
  readonly name: string;
  readonly call: SiteCall;
  readonly options: AgentOptions;
}

function agentCallOf(scope: Scope, asked: Asked): AgentCall {
  const { name, call, options } = asked;
  checkAgentOptions(scope, name, options);
  const first = scope.execution.input.options.agent ?? options.agent;
  const names = [first, ...(agentNamed(scope, first, name).fallback ?? [])];
  const { schema, expect = {} } = options;
  const jsonSchema = schema === undefined ? undefined : jsonSchemaOf(schema, name);
  const { files = [], command, reask = 0 } = expect;
  const hasProof = jsonSchema !== undefined || files.length > 0 || command !== undefined;
  const inputs = names.map((each, index) => {
    const isLast = index === names.length - 1;
    const input = agentInput(scope, asked, { agent: each, jsonSchema });
    return isLast && hasProof ? { ...input, toleratesDenial: true } : input;
  });
  return {
    ...call,
    ...{ names, inputs },
    retry: retryOf(scope, AGENT_RETRY, options),
    options: scope.compared,
    ...(hasProof ? { proof: { reask, check } } : {}),
  };

  async function check(
    record: StepRecord,
    round: number,
  ): ReturnType<NonNullable<AgentCall['proof']>['check']> {
    const proof = await prove(
      call,
      {
        files,
        commands: command === undefined ? [] : [command],
        ...(jsonSchema === undefined ? {} : { jsonSchema, subject: subjectIn(record) }),
        ...defined({ cwd: options.cwd, sandbox: sandboxOf(scope, asked, first) }),
      },
      { round },
    );
    if (proof.type === 'error' || schema === undefined || proof.value.reasons.length > 0) return proof;
    const value = await validated(schemaOf(schema), proof.value.json);
    return value.type === 'ok' ? proof : ok({ ...proof.value, reasons: value.error });
  }
}

function sandboxOf(scope: Scope, { name, options }: Asked, agent: string): RunAgentInput['sandbox'] {
  return chooseSandbox(agentNamed(scope, agent, name).sandbox, options.sandbox);
}

/** A declared agent, or one of the known CLIs. */
function agentNamed(scope: Scope, agent: string, call: string): AgentDeclaration {
  const { agents = {} } = scope.workflow;
  if (Object.hasOwn(agents, agent)) return agents[agent] ?? {};
  if (isKnown(agent)) return { adapter: agent };
  const known = [...Object.keys(agents), ...AGENT_NAMES];
  const near = nearest(agent, known);
  const help = near === undefined ? `use one of ${known.join(', ')}` : `did you mean \`${near}\`?`;
  throw scope.mistake(`\`${call}\` asks for the unknown agent \`${agent}\`; ${help}`);
}

function isKnown(name: string): name is AgentName {
  return AGENT_NAMES.some((each) => each === name);
}

function agentInput(
  scope: Scope,
  { name, options }: Asked,
  { agent, jsonSchema }: { readonly agent: string; readonly jsonSchema: RunAgentInput['jsonSchema'] },
): RunAgentInput {
  const declared = agentNamed(scope, agent, name);
  const { prompt, systemPrompt, permissions, maxTurns, maxBudgetUsd } = options;
  const tools = { ...declared.tools, ...options.tools };
  const secrets = [...new Set([...(options.secrets ?? []), ...secretsOfTools(tools)])];
  const timeout = options.timeout ?? declared.timeout;
  return {
    ...processInput(options),
    capture: 'text',
    ...(secrets.length === 0 ? {} : { secrets }),
    agent: choiceOf(scope, agent, declared),
    prompt: [{ type: 'text', text: prompt }],
    ...defined({
      model: options.model ?? declared.model,
      ...{ jsonSchema, systemPrompt, permissions, maxTurns, maxBudgetUsd },
      session: sessionOf(options),
      timeoutMs: timeout === undefined ? undefined : milliseconds(timeout),
      sandbox: chooseSandbox(declared.sandbox, options.sandbox),
      ask: options.ask ?? declared.ask,
      tools: Object.keys(tools).length === 0 ? undefined : tools,
    }),
  };
}

function sessionOf({ continue: continued, fork }: AgentOptions): RunAgentInput['session'] {
  const sessionId = continued ?? fork;
  if (sessionId === undefined) return undefined;
  return { type: continued === undefined ? 'fork' : 'continue', sessionId };
}

function choiceOf(scope: Scope, name: string, declared: AgentDeclaration): AgentChoice {
  const { adapter = isKnown(name) ? name : undefined, command, args, script } = declared;
  if (command === undefined) {
    if (adapter === undefined || adapter === 'plain')
      throw scope.mistake(`agent \`${name}\` has neither \`adapter\` nor \`command\``);
    return { type: 'builtin', adapter, ...defined({ extraArgs: args, script }) };
  }
  const takesPrompt = command.some((argument) => PROMPT.test(argument));
  return {
    type: 'template',
    ...{ name, argv: command.map(argumentOf) },
    adapter: adapter === undefined || adapter === 'mock' ? 'plain' : adapter,
    inputMode: declared.inputMode ?? (takesPrompt ? 'argv' : 'stdin'),
  };
}

function argumentOf(argument: string): TemplateArgument {
  return PROMPT.test(argument) ? { promptBetween: argument.split('${PROMPT}') } : argument;
}
