/**
 * Checks what a workflow needs from the machine: agents, secrets, prompts. These are only warnings, since an earlier step may provide
 * them or the step may never be reached, but they are shown before anything starts. A missing git repository is an error.
 */
import type { SourceRange } from '../../model/source.ts';
import { nearest } from '../../model/suggest.ts';
import type { ProviderSource } from '../schema/provider.ts';
import type { StepSource } from '../schema/step.ts';
import { checkPromptFile } from './check-prompt-file.ts';
import { adapterOf } from './define/define-provider.ts';
import { type NoRepository, wordsFor } from './no-repository.ts';
import { createReport, type Report } from './report.ts';
import { called } from './rules/rule.ts';
import type { WorkflowFile } from './workflow-file.ts';

export interface Machine {
  /** Names of the environment variables that are set. */
  readonly variables: readonly string[];
  hasProgram(name: string): boolean;
  /** Undefined: the workspace is in a working tree of git. */
  whyNoRepository(): NoRepository | undefined;
  /** No agent is started, as in a dry run or a replay. */
  readonly withoutAgents?: boolean;
}

export function checkEnvironment(workspace: string, files: readonly WorkflowFile[], around: Machine): void {
  for (const file of files) {
    const report = createReport(file.diagnostics);
    // The list of `defaults` is shared by steps, and reported once.
    const listed = new Set<readonly string[] | undefined>();
    for (const place of file.index.places) {
      const { step } = place;
      const why = step.isolate === undefined ? undefined : around.whyNoRepository();
      if (why !== undefined) reportNoRepository({ file, report, step }, why);
      const startsAgent = step.provider !== undefined && around.withoutAgents !== true;
      if (step.provider === undefined || startsAgent)
        checkSecrets({ file, report, step, isListed: listed.has(step.secrets) }, around);
      listed.add(step.secrets);
      if (step.provider === undefined) continue;
      if (startsAgent) checkProgram({ file, report, step }, around);
      checkPromptFile({ file, report, place }, workspace);
    }
  }
}

interface Looked {
  readonly file: WorkflowFile;
  readonly report: Report;
  readonly step: StepSource;
  /** Its list of secrets was checked with another step. */
  readonly isListed?: boolean;
}

function reportNoRepository({ file, report, step }: Looked, why: NoRepository): void {
  const { message, help } = wordsFor(why);
  report.error('environment/no-repository', file.places.keyRange(step, 'isolate'), {
    message: `${called(step)} works in git worktrees, but ${message}`,
    help,
  });
}

function checkSecrets(looked: Looked, machine: Machine): void {
  const { file, step } = looked;
  const secrets = looked.isListed === true ? [] : (step.secrets ?? []);
  for (const [index, name] of secrets.entries())
    checkSecret(looked, machine, { name, range: () => file.places.valueRange(secrets, index) });
  for (const server of Object.values(step.mcp_servers ?? {})) {
    const { secrets: passed = [], bearer_token: token } = server;
    for (const [index, name] of passed.entries())
      checkSecret(looked, machine, { name, range: () => file.places.valueRange(passed, index) });
    if (token !== undefined)
      checkSecret(looked, machine, {
        name: token,
        range: () => file.places.valueRange(server, 'bearer_token'),
      });
  }
}

function checkSecret(
  { report, step }: Looked,
  { variables }: Machine,
  { name, range }: { readonly name: string; readonly range: () => SourceRange },
): void {
  if (variables.includes(name) || step.env?.[name] !== undefined) return;
  const meant = nearest(name, variables);
  report.warning('environment/unset-secret', range(), {
    message: `environment variable \`${name}\` is not set, but ${called(step)} requires it`,
    help: meant === undefined ? `set it: \`export ${name}=…\`` : `did you mean \`${meant}\`?`,
  });
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
