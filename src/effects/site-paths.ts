/** The inputs of effects name folders relative to the workspace: here they become paths of the machine that the effect runs on. */
import type { RunSite } from '../engine/durable.ts';
import { defined } from '../model/defined.ts';
import { localPath } from '../store/portable-path.ts';
import type { PlacedText, ProcessInput, PromptPart, RunAgentInput, RunToolInput } from './contracts.ts';

/** A worktree stands for the workspace of a step, but not for the folders that its input names. */
export function pathAt({ workspace, home = workspace }: RunSite, path: string): string {
  return localPath(home, path);
}

export function rootAt(run: RunSite, root: string | undefined): string {
  return root === undefined ? run.workspace : pathAt(run, root);
}

export function processAt<Input extends ProcessInput>(run: RunSite, input: Input): Input {
  const { root, sandbox } = input;
  if (root === undefined && sandbox?.writable === undefined) return input;
  const writable = sandbox?.writable?.map((path) => pathAt(run, path));
  return {
    ...input,
    ...(root === undefined ? {} : { root: pathAt(run, root) }),
    ...(sandbox === undefined ? {} : { sandbox: { ...sandbox, ...defined({ writable }) } }),
  };
}

/** An agent call in which every path is one of this machine. */
export interface AgentInputHere extends RunAgentInput {
  readonly prompt: readonly PartHere[];
  readonly systemPrompt?: string;
}

export type PartHere = Exclude<PromptPart, { readonly type: 'place' }>;

export function agentAt(run: RunSite, given: RunAgentInput): AgentInputHere {
  const { prompt, systemPrompt, folders, ...input } = processAt(run, given);
  return {
    ...input,
    prompt: prompt.map((part) => partAt(run, part)),
    ...(systemPrompt === undefined ? {} : { systemPrompt: textAt(run, systemPrompt) }),
    ...(folders === undefined ? {} : { folders: folders.map((folder) => pathAt(run, folder)) }),
  };
}

function partAt(run: RunSite, part: PromptPart): PartHere {
  if (part.type === 'place') return { type: 'text', text: pathAt(run, part.path) };
  return part.type === 'file' && part.root !== undefined ? { ...part, root: pathAt(run, part.root) } : part;
}

function textAt(run: RunSite, text: PlacedText): string {
  if (typeof text === 'string') return text;
  return text.map((part) => (part.type === 'text' ? part.text : pathAt(run, part.path))).join('');
}

export function toolAt(run: RunSite, input: RunToolInput): RunToolInput {
  return {
    ...input,
    root: pathAt(run, input.root),
    keepOut: input.keepOut.map((folder) => pathAt(run, folder)),
    outputFile: pathAt(run, input.outputFile),
  };
}
