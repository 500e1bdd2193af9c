/** `setup` and `edit`: a person and an agent write the instructions together; the terminal is theirs meanwhile. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { editPrompt, type SetupTask, setupPrompt, setupSystem } from '../../iterate/prompts/setup.ts';
import { type Metadata, parseMetadata } from '../../iterate/workspace/metadata.ts';
import { problemText } from '../../iterate/workspace/problem-text.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { childEnvironment } from '../../process/environment.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { updateDocument } from '../../store/document.ts';
import { errnoOf } from '../../store/errno.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { type ChosenAgent, chooseAgent, missingAgent } from './run/agent.ts';
import { configFor } from './run/run-input.ts';
import {
  type IterateSite,
  mayStart,
  type OpenedWorkspace,
  openWorkspace,
  refuse,
  shownPath,
} from './site/site.ts';
import { takeWorkspace } from './site/take-workspace.ts';
import { createNotifier } from './view/notify-view.ts';

export interface SetupFlags {
  readonly agent?: string;
  /** A file, or `-` for standard input. */
  readonly from?: string;
}

export async function setup(site: IterateSite, name: string, flags: SetupFlags): Promise<void> {
  const workspace = openWorkspace(site, name);
  if (workspace === undefined || !(await mayStart(site, configFor(workspace, agentOf(flags))))) return;
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return;
  try {
    const written =
      flags.from === undefined
        ? await talk(site, workspace, { flags, prompt: setupPrompt })
        : await takeFrom(site, workspace, flags.from);
    if (written) await finish(site, workspace);
  } finally {
    lock.release();
  }
}

export async function edit(site: IterateSite, name: string, flags: SetupFlags): Promise<void> {
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return;
  if (!fs.existsSync(workspace.paths.instructions))
    return refuse(site.context, `Instructions not found. Run setup first: claude-iterate setup ${name}`);
  if (!(await mayStart(site, configFor(workspace, agentOf(flags))))) return;
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return;
  try {
    if (await talk(site, workspace, { flags, prompt: editPrompt })) await finish(site, workspace);
  } finally {
    lock.release();
  }
}

function agentOf({ agent }: SetupFlags): Pick<SetupFlags, 'agent'> {
  return agent === undefined ? {} : { agent };
}

async function takeFrom(
  { context }: IterateSite,
  { paths }: OpenedWorkspace,
  from: string,
): Promise<boolean> {
  let text: string;
  try {
    text =
      from === '-'
        ? Buffer.concat(await process.stdin.toArray()).toString('utf8')
        : fs.readFileSync(from, 'utf8');
  } catch (cause) {
    return refuse(context, `cannot read \`${from}\`: ${errnoWords(errnoOf(cause))}`) ?? false;
  }
  if (text.trim() === '') return refuse(context, `\`${from}\` is empty`) ?? false;
  const before = readTextIfThere(paths.instructions) ?? '';
  if (before.trim() !== '' && before !== text)
    context.err(`Earlier instructions kept: ${shownPath(context, keepAside(paths.instructions))}\n`);
  replaceFile(paths.instructions, text, { mode: 0o644 });
  return true;
}

interface Talk {
  readonly flags: SetupFlags;
  prompt(task: SetupTask): string;
}

/** False: no new instructions came of it, and why has been said. */
async function talk(
  site: IterateSite,
  workspace: OpenedWorkspace,
  { flags, prompt }: Talk,
): Promise<boolean> {
  const { context } = site;
  const agent = chooseAgent(configFor(workspace, flags));
  if (agent.type === 'error') return refuse(context, agent.error) ?? false;
  const missing = missingAgent(agent.value);
  if (missing !== undefined) return refuse(context, missing) ?? false;
  if (process.stdin.isTTY !== true) {
    const help = `claude-iterate setup ${workspace.name} --from <file>`;
    return refuse(context, 'a conversation with the agent needs a terminal', help) ?? false;
  }
  const task: SetupTask = {
    mode: workspace.metadata.mode,
    place: { projectRoot: context.workspace, workspacePath: workspace.paths.folder },
    instructionsPath: workspace.paths.instructions,
  };
  const argv = interactiveArgv(agent.value, setupSystem(task), prompt(task));
  const before = readTextIfThere(workspace.paths.instructions);
  const exitCode = await handOver(argv, context.workspace);
  const text = readTextIfThere(workspace.paths.instructions);
  const isThere = text !== undefined && text.trim() !== '';
  if (exitCode !== 0 && text === before)
    return refuse(context, `the agent ended with exit code ${exitCode}`) ?? false;
  if (isThere && text === before) {
    context.err(`Instructions unchanged: ${shownPath(context, workspace.paths.instructions)}\n`);
    return false;
  }
  if (isThere) return true;
  return refuse(context, 'no instructions were written', `claude-iterate setup ${workspace.name}`) ?? false;
}

/** Each CLI has its own way to begin a conversation with a sentence. */
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

/** Ctrl+C belongs to whoever holds the terminal: the agent. */
function handOver(argv: readonly string[], cwd: string): Promise<number> {
  const [program = '', ...rest] = argv;
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  return new Promise<number>((resolve) => {
    const child = spawn(program, rest, {
      cwd,
      stdio: 'inherit',
      env: childEnvironment({ runId: '', runMark: 'setup', key: 'setup' }),
    });
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  }).finally(() => process.off('SIGINT', ignore));
}

async function finish(site: IterateSite, workspace: OpenedWorkspace): Promise<void> {
  const { context } = site;
  const counted = await updateDocument(workspace.paths.metadata, parseMetadata, (metadata: Metadata) => ({
    ...metadata,
    setupIterations: metadata.setupIterations + 1,
    totalIterations: metadata.totalIterations + 1,
  }));
  if (counted.type === 'error') return refuse(context, problemText(counted.error));
  context.out(`✓ Instructions written: ${shownPath(context, workspace.paths.instructions)}\n`);
  context.err(`Next: claude-iterate run ${workspace.name}\n`);
  const notifier = createNotifier(workspace.config, workspace.name, (problem) =>
    context.err(`warning: ${problem}\n`),
  );
  if (notifier.type === 'error') context.err(`warning: ${notifier.error}\n`);
  else {
    notifier.value?.tell({ type: 'setup_complete' });
    await notifier.value?.drain();
  }
}
