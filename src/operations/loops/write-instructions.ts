/** The instructions of a loop: from a file or text, or written by the user in an agent session. */
import fs from 'node:fs';
import { editPrompt, type SetupTask, setupPrompt, setupSystem } from '../../iterate/prompts/setup.ts';
import { parseMetadata } from '../../iterate/workspace/metadata.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { updateDocument } from '../../store/document.ts';
import { errnoOf } from '../../store/errno.ts';
import { keepAside } from '../../store/keep-aside.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { configFor } from './run/loop-input.ts';
import { noInstructions } from './run/task.ts';
import { type ChosenAgent, chooseAgent } from './site/agent.ts';
import { type OpenedWorkspace, openLoop } from './site/find-loop.ts';
import type { OfLoop } from './site/loops.ts';
import { takeWorkspace } from './site/take-workspace.ts';
import { mayStart } from './site/trust-settings.ts';

export interface WriteInstructions extends OfLoop {
  readonly agent?: string | undefined;
  /** The source of the text as the user named it: a file, unless `text` is given. */
  readonly from: string;
  readonly text?: string | undefined;
}

export interface InstructionsWritten {
  readonly path: string;
  /** New name of the previous instructions, if any. */
  readonly keptAs?: string;
}

export async function writeInstructions(
  site: Site,
  asked: WriteInstructions,
): Promise<Result<InstructionsWritten, Problem>> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { workspace } = opened.value;
  const { metadata, instructions: path } = workspace.paths;
  const may = mayStart(site, configFor(workspace, { agent: asked.agent }));
  if (may.type === 'error') return may;
  const lock = takeWorkspace(workspace);
  if (lock.type === 'error') return lock;
  try {
    const text = textOf(asked);
    if (text.type === 'error') return text;
    const before = readTextIfThere(path) ?? '';
    const keptAs = before.trim() !== '' && before !== text.value ? keepAside(path) : undefined;
    replaceFile(path, text.value, { mode: 0o644 });
    const counted = await countSetup(metadata);
    return counted.type === 'ok' ? ok({ path, ...defined({ keptAs }) }) : counted;
  } finally {
    lock.value.release();
  }
}

function textOf({ from, text }: WriteInstructions): Result<string, Problem> {
  try {
    const found = text ?? fs.readFileSync(from, 'utf8');
    return found.trim() === '' ? error({ type: 'empty-instructions', file: from }) : ok(found);
  } catch (cause) {
    return error({ type: 'cannot-read-file', file: from, code: errnoOf(cause) });
  }
}

export interface TalkAboutLoop extends OfLoop {
  readonly agent?: string | undefined;
  /** Change existing instructions. */
  readonly edits: boolean;
}

/** An interactive agent session in the terminal. */
export interface LoopTalk {
  readonly name: string;
  readonly folder: string;
  readonly argv: readonly string[];
}

export function prepareTalk(site: Site, asked: TalkAboutLoop): Result<LoopTalk, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { workspace } = opened.value;
  const { folder, instructions: instructionsPath } = workspace.paths;
  if (asked.edits && !fs.existsSync(instructionsPath)) return error(noInstructions(workspace));
  const config = configFor(workspace, { agent: asked.agent });
  const may = mayStart(site, config);
  if (may.type === 'error') return may;
  const agent = chooseAgent(site, config, { name: config.get<string>('agent') });
  if (agent.type === 'error') return agent;
  const task: SetupTask = {
    mode: workspace.metadata.mode,
    place: { projectRoot: site.workspace, workspacePath: folder },
    instructionsPath,
  };
  const prompt = asked.edits ? editPrompt(task) : setupPrompt(task);
  return ok({ name: asked.name, folder, argv: interactiveArgv(agent.value, setupSystem(task), prompt) });
}

/** Each CLI has its own way to start a conversation with a prompt. */
function interactiveArgv(agent: ChosenAgent, system: string, prompt: string): readonly string[] {
  const together = `${system}\n\n${prompt}`;
  switch (agent.name) {
    case 'claude': {
      const extra = agent.choice.type === 'builtin' ? (agent.choice.extraArgs ?? []) : [];
      return [...agent.command, ...extra, '--append-system-prompt', system, prompt];
    }
    case 'gemini':
      return [...agent.command, '--prompt-interactive', together];
    default:
      return [...agent.command, together];
  }
}

/** Counts new instructions as a setup iteration. The caller holds the workspace. */
export async function countSetup(
  metadata: OpenedWorkspace['paths']['metadata'],
): Promise<Result<void, Problem>> {
  const counted = await updateDocument(metadata, parseMetadata, (before) => ({
    ...before,
    setupIterations: before.setupIterations + 1,
    totalIterations: before.totalIterations + 1,
  }));
  return counted.type === 'ok' ? ok(undefined) : error({ type: 'document-problem', problem: counted.error });
}
