/** What may come next on a command line that is being typed. */
import { type Argument, Command, type Option } from 'commander';
import { stepKeysIn } from '../../operations/runs/find-step.ts';
import { effectiveStatus, lookAtRun } from '../../operations/runs/list-runs.ts';
import { readRunWithEvents } from '../../operations/runs/read-run.ts';
import { folderSource } from '../../operations/runs/run-source.ts';
import { stepNames } from '../../operations/workflows/step-names.ts';
import type { CliContext } from '../context.ts';
import { agentPaths, path, pathOrRun, paths, printedPath } from '../path-argument.ts';
import { siteOf } from '../site.ts';
import { type FileKind, filesAt } from './files.ts';
import { optionsOf, readTyped, type Typed } from './typed.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export interface Completion {
  /** Files are quoted by the shell, and a folder is followed by more. */
  readonly type: 'words' | 'files';
  readonly candidates: readonly Candidate[];
}

const RUNS_OFFERED = 30;

/** The last word is the one that is being typed. */
export async function completionOf(context: CliContext, words: readonly string[]): Promise<Completion> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const typed = readTyped(await rootFor(context, before), before);
  const [, flag, begun] = /^(--[^=]+=)(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && begun !== undefined) {
    const option = optionsOf(typed.command).find(({ long }) => `${long}=` === flag);
    const { candidates } = option === undefined ? NONE : valuesOf(context, option, typed, begun);
    const whole = candidates.map((each) => ({ ...each, value: `${flag}${each.value}` }));
    return starting({ type: 'words', candidates: whole }, current);
  }
  if (typed.expects.type === 'value')
    return starting(valuesOf(context, typed.expects.of, typed, current), current);
  if (current.startsWith('-')) return starting(flagsOf(typed.command), current);
  const below = typed.arguments.length === 0 ? subcommands(typed.command) : [];
  if (below.length > 0) return starting({ type: 'words', candidates: below }, current);
  const { of } = typed.expects;
  return of === undefined ? NONE : starting(valuesOf(context, of, typed, current), current);
}

const NONE: Completion = { type: 'words', candidates: [] };

function starting({ type, candidates }: Completion, prefix: string): Completion {
  return { type, candidates: candidates.filter(({ value }) => value.startsWith(prefix)) };
}

/** All commands by name; the one that is called in full. */
async function rootFor(context: CliContext, words: readonly string[]): Promise<Command> {
  const root = new Command('orchestrate').option('-C <folder>', 'run as if started in this folder', path);
  for (const [name, entry] of Object.entries(context.commands)) {
    if (entry.isHidden === true) continue;
    const command = root.command(name).summary(entry.summary);
    if (words.includes(name)) (await entry.load()).define(command, context);
  }
  return root;
}

function subcommands(command: Command): readonly Candidate[] {
  return command.commands.map((each) => ({ value: each.name(), description: each.summary() }));
}

function flagsOf(command: Command): Completion {
  const flags = optionsOf(command).map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    description,
  }));
  return {
    type: 'words',
    candidates: [...flags, { value: '--help', description: 'display help for command' }],
  };
}

/** By what an option or argument is: a choice, a run, a step or a file. */
function valuesOf(context: CliContext, of: Option | Argument, typed: Typed, current: string): Completion {
  const words = (values: readonly string[]): Completion => ({
    type: 'words',
    candidates: values.map((value) => ({ value })),
  });
  if (of.argChoices !== undefined) return words(of.argChoices);
  const name = 'long' in of ? (/[<[]([^>\]]*)/.exec(of.flags)?.[1] ?? '') : of.name();
  if (name === 'run') return runs(context);
  if (name === 'step') return words(steps(context, typed));
  const parser: unknown = of.parseArg;
  const isPath = [path, paths, pathOrRun, printedPath, agentPaths].some((each) => each === parser);
  if (!isPath) return NONE;
  const files = { type: 'files', candidates: filesAt(current, kindOf(of, name)) } as const;
  if (parser !== pathOrRun) return files;
  return { type: 'files', candidates: [...runs(context).candidates, ...files.candidates] };
}

function kindOf(of: Option | Argument, name: string): FileKind {
  if ('long' in of) return of.short === '-C' ? 'folder' : of.long === '--workflow' ? 'workflow' : 'any';
  return name === 'workflow' || name === 'file' ? 'workflow' : 'any';
}

function runs(context: CliContext): Completion {
  const source = folderSource(context.workspace);
  const newest = source.ids().slice(0, RUNS_OFFERED);
  const listed = newest.map((runId) => {
    const run = lookAtRun(source, runId);
    const title = run.type === 'damaged' ? '' : ` ${run.state.title}`;
    return { value: runId, description: `${effectiveStatus(run)}${title}` };
  });
  const last = newest.length === 0 ? [] : [{ value: 'last', description: 'the newest run' }];
  return { type: 'words', candidates: [...last, ...listed] };
}

/** The steps of the run that is named; for `approve`, its open questions; for `run-step`, the steps of the workflow. */
function steps(
  context: CliContext,
  { command, arguments: [run = 'last'], options }: Typed,
): readonly string[] {
  const site = siteOf(context);
  const workflow = options.get('workflow');
  if (command.name() === 'run-step') return workflow === undefined ? [] : stepNames(site, workflow);
  const read = readRunWithEvents(site, run);
  if (read.type === 'error') return [];
  const { state, events } = read.value;
  return command.name() === 'approve' ? Object.keys(state.waiting_for ?? {}) : stepKeysIn(events);
}
