import type { AgentChoice, TemplateArgument } from '../effects/contracts.ts';
import type { AgentTools } from '../model/agent-tools.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { parseVariables } from '../template/parse-variables.ts';
import type { Scope } from '../template/scope.ts';
import { isReference, type Reference } from '../template/template.ts';
import type { Block } from './block.ts';
import { PROMPT, type ProviderDefinition, type ProviderStep, type StepCommon } from './definition.ts';
import {
  mustBeComplete,
  renderArgv,
  renderCommand,
  renderPieces,
  renderText,
  renderValues,
} from './render.ts';
import { variablesOf } from './variables.ts';

export interface ChosenAgent {
  readonly agent: AgentChoice;
  readonly model?: string;
  readonly tools?: AgentTools;
}

/** The loader has checked that it is declared or built in. */
export function providerNamed(block: Block, name: string): ProviderDefinition {
  const { providers } = block.definition;
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === undefined) throw new Error(`unknown provider \`${name}\``);
  return provider;
}

/** Combines the template, defaults and parameters into the command line to run. */
export function chooseAgent(
  block: Block,
  step: StepCommon & ProviderStep,
  name: string,
): Result<ChosenAgent, Failure> {
  const provider = providerNamed(block, name);
  const params = renderValues(block, { ...provider.defaults, ...step.params });
  if (params.type === 'error') return params;
  const model = params.value['model'];
  const chosen = { ...(typeof model === 'string' ? { model } : {}) };
  if (block.options.dryRun === true) return ok({ ...chosen, agent: { type: 'builtin', adapter: 'mock' } });
  if (step.commandOverride !== undefined && block.options.agent === undefined) {
    const argv = renderCommand(block, step.commandOverride);
    if (argv.type === 'error') return argv;
    return ok({ agent: { type: 'template', name, adapter: 'plain', argv: argv.value, inputMode: 'stdin' } });
  }
  if (provider.command === undefined) {
    const tools = toolsOf(block, step, provider);
    if (tools.type === 'error') return tools;
    return ok({ ...chosen, agent: builtin(provider, params.value), ...defined({ tools: tools.value }) });
  }
  const complete = mustBeComplete(block, provider.command);
  if (complete.type === 'error') return complete;
  const argv = renderProviderTemplate(block, provider.command, params.value);
  if (argv.type === 'error') return argv;
  const { adapter } = provider;
  return ok({
    ...chosen,
    // Refused by the effect: a template is run as written.
    ...defined({ tools: step.tools }),
    agent: {
      type: 'template',
      name,
      adapter: adapter === 'mock' ? 'plain' : adapter,
      argv: argv.value,
      inputMode: provider.inputMode,
      ...(provider.result === undefined && provider.exitCodes === undefined
        ? {}
        : {
            reading: {
              result: provider.result ?? 'text',
              ...defined({ exitCodes: provider.exitCodes }),
            },
          }),
    },
  });
}

/** What the step says has precedence over the provider, key by key. */
function toolsOf(
  block: Block,
  step: ProviderStep,
  provider: ProviderDefinition,
): Result<AgentTools | undefined, Failure> {
  const tools: AgentTools = { ...provider.tools, ...step.tools };
  if (Object.keys(tools).length === 0) return ok(undefined);
  if (tools.mcp?.type !== 'file') return ok(tools);
  const path = renderText(block, tools.mcp.path);
  return path.type === 'error' ? path : ok({ ...tools, mcp: { type: 'file', path: path.value } });
}

function builtin(provider: ProviderDefinition, params: { readonly [name: string]: JsonValue }): AgentChoice {
  const { args } = params;
  return {
    type: 'builtin',
    adapter: provider.adapter === 'plain' ? 'mock' : provider.adapter,
    ...(Array.isArray(args) ? { extraArgs: args.map(String) } : {}),
    ...defined({ script: provider.script }),
  };
}

/** `${PROMPT}` is filled in once the prompt is read; `${name}` is a parameter, `${a.b}` a variable. */
function renderProviderTemplate(
  block: Block,
  command: readonly string[],
  params: { readonly [name: string]: JsonValue },
): Result<readonly TemplateArgument[], Failure> {
  const missing = new Set<string>();
  const variables = variablesOf(block);
  const scope: Scope = (path) => {
    const [name] = path;
    if (path.length > 1 || name === undefined) return variables(path);
    const value = Object.hasOwn(params, name) ? params[name] : variables(path);
    if (value === undefined) missing.add(name);
    return value ?? '';
  };
  const argv: TemplateArgument[] = [];
  const plain = command.map((argument) => (holdsPrompt(argument) ? '' : argument));
  const rendered = renderArgv(plain, scope);
  if (rendered.type === 'error') return rendered;
  for (const [index, argument] of command.entries()) {
    if (!holdsPrompt(argument)) {
      argv.push(rendered.value[index] ?? '');
      continue;
    }
    const pieces = promptPieces(argument, scope);
    if (pieces.type === 'error') return pieces;
    argv.push({ promptBetween: pieces.value });
  }
  return missing.size === 0 ? ok(argv) : error({ type: 'missing-placeholders', names: [...missing] });
}

function holdsPrompt(argument: string): boolean {
  return (
    argument.includes(PROMPT) &&
    parseVariables(argument).template.some((part) => isReference(part) && isPrompt(part))
  );
}

function isPrompt(reference: Reference): boolean {
  return reference.path.length === 1 && reference.path[0] === PROMPT;
}

/** `Task: ${PROMPT}!` → `['Task: ', '!']`. */
function promptPieces(argument: string, scope: Scope): Result<readonly string[], Failure> {
  const pieces: (string | Reference)[][] = [[]];
  for (const part of parseVariables(argument).template) {
    if (isReference(part) && isPrompt(part)) pieces.push([]);
    else pieces.at(-1)?.push(part);
  }
  return renderPieces(pieces, scope);
}
