/**
 * Checks what a workflow needs from the machine: agents, secrets, prompts. These are only warnings, since an earlier step may provide
 * them or the step may never be reached, but they are shown before anything starts.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../model/suggest.ts';
import type { ProviderSource } from '../schema/provider.ts';
import type { StepSource } from '../schema/step.ts';
import { adapterOf } from './define/define-provider.ts';
import { createReport, type Report } from './report.ts';
import { called } from './rules/rule.ts';
import type { WorkflowFile } from './workflow-file.ts';

export interface Machine {
  /** Names of the environment variables that are set. */
  readonly variables: readonly string[];
  hasProgram(name: string): boolean;
  /** No agent is started, as in a dry run or a replay. */
  readonly withoutAgents?: boolean;
}

export function checkEnvironment(workspace: string, files: readonly WorkflowFile[], around: Machine): void {
  for (const file of files) {
    const report = createReport(file.diagnostics);
    for (const { step } of file.index.places) {
      const startsAgent = step.provider !== undefined && around.withoutAgents !== true;
      if (step.provider === undefined || startsAgent) checkSecrets({ file, report, step }, around);
      if (step.provider === undefined) continue;
      if (startsAgent) checkProgram({ file, report, step }, around);
      checkPrompt({ file, report, step }, workspace);
    }
  }
}

interface Looked {
  readonly file: WorkflowFile;
  readonly report: Report;
  readonly step: StepSource;
}

function checkSecrets({ file, report, step }: Looked, { variables }: Machine): void {
  for (const [index, name] of (step.secrets ?? []).entries()) {
    if (variables.includes(name) || step.env?.[name] !== undefined) continue;
    const meant = nearest(name, variables);
    report.warning('environment/unset-secret', file.places.valueRange(step.secrets ?? [], index), {
      message: `environment variable \`${name}\` is not set, but ${called(step)} requires it`,
      help: meant === undefined ? `set it: \`export ${name}=…\`` : `did you mean \`${meant}\`?`,
    });
  }
}

function checkProgram({ file, report, step }: Looked, around: Machine): void {
  const name = step.provider ?? '';
  const declared = file.source.providers ?? {};
  const provider = Object.hasOwn(declared, name) ? declared[name] : undefined;
  const program = step.command_override?.[0] ?? programOf(name, provider ?? {});
  if (program === undefined || program === '' || program.includes('$') || around.hasProgram(program)) return;
  const others = (provider?.fallback ?? []).map((other) => programOf(other, declared[other] ?? {}));
  if (others.some((other) => other === undefined || around.hasProgram(other))) return;
  report.warning('environment/no-program', file.places.valueRange(step, 'provider'), {
    message: `program \`${program}\` not found on PATH, but ${called(step)} needs it`,
    help: 'install it, or choose another agent with `--agent`; `orchestrate doctor` lists the installed ones',
  });
}

/** `undefined` if it needs no program, as the mock agent. */
function programOf(name: string, provider: Partial<ProviderSource>): string | undefined {
  const adapter = adapterOf(name, provider as ProviderSource);
  if (provider.command?.[0] !== undefined) return provider.command[0];
  return adapter === 'mock' || adapter === 'plain' ? undefined : adapter;
}

/** A prompt that another step mentions, as an output or in a command, is created during the run. */
function checkPrompt({ file, report, step }: Looked, workspace: string): void {
  const prompt = step.input_file;
  if (prompt === undefined || prompt === '' || prompt.includes('$')) return;
  if (fs.existsSync(join(workspace, prompt)) || isMadeOnTheWay(file, step, prompt)) return;
  report.warning('environment/no-prompt', file.places.valueRange(step, 'input_file'), {
    message: `prompt file \`${prompt}\` of ${called(step)} not found, and no other step mentions it`,
    help: nearFile(workspace, prompt),
  });
}

function isMadeOnTheWay({ index }: WorkflowFile, step: StepSource, prompt: string): boolean {
  const name = prompt.slice(prompt.lastIndexOf('/') + 1);
  return index.places.some(({ step: other }) => {
    if (other === step) return false;
    const written = [other.output_file ?? '', ...(other.expect?.files ?? [])];
    const words = [...(other.command ?? []), ...(other.command_override ?? [])];
    return (
      written.some((text) => text.includes('$') || text.includes(name)) ||
      words.some((text) => text.includes(name))
    );
  });
}

function nearFile(workspace: string, prompt: string): string | undefined {
  const slash = prompt.lastIndexOf('/');
  const folder = slash === -1 ? '' : prompt.slice(0, slash + 1);
  let names: readonly string[] = [];
  try {
    names = fs.readdirSync(join(workspace, folder));
  } catch {
    return undefined;
  }
  const meant = nearest(prompt.slice(slash + 1), names);
  return meant === undefined ? undefined : `did you mean \`${folder}${meant}\`?`;
}
