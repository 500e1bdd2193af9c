/**
 * Puts the parts together: the one place that knows every effect and every program. Only what every run needs is loaded at once; the
 * rest is loaded on first use.
 */
import { join } from 'node:path';
import { CODE_PROGRAM } from '../code/input.ts';
import { CONVERSE_PROGRAMS } from '../converse/input.ts';
import type { CassetteUse } from '../effects/agent/run-agent.ts';
import type { EffectMap } from '../effects/contracts.ts';
import { note } from '../effects/note.ts';
import { createRunCommand } from '../effects/run-command.ts';
import { createRunFunction, type FunctionTable } from '../effects/run-function.ts';
import type { Effect, EffectImplementations, Programs } from '../engine/durable.ts';
import type { RunHost } from '../engine/local-run.ts';
import type { Rehearsal } from '../engine/run-host.ts';
import { ITERATE_PROGRAMS } from '../iterate/input.ts';
import { defined } from '../model/defined.ts';
import type { RunEvent } from '../model/event.ts';
import type { EffectOutput } from '../model/record.ts';
import { uptimeMs } from '../model/uptime.ts';
import type { Site } from '../operations/site.ts';
import { PHASES_PROGRAMS } from '../phases/run/input.ts';
import { runMark } from '../process/environment.ts';
import { nativeIn } from '../process/native.ts';
import { lastPid } from '../process/process-table.ts';
import { redactor } from '../process/redact.ts';
import { createProcessRunner, type RunProcess } from '../process/run-process.ts';
import { spawnHelpersIn } from '../process/spawn-helpers.ts';
import { sweepSpools } from '../process/spool.ts';
import { endLeftProcesses, endMarkedProcesses } from '../process/terminate-tree.ts';
import { EXECUTE_PROGRAM, PLAN_PROGRAM } from '../session/execute/input.ts';
import { runPathsIn } from '../store/layout.ts';
import { localPath } from '../store/portable-path.ts';
import { createSeals, type Seals } from '../store/seal.ts';
import { trustFile } from '../store/trust.ts';
import { userFolder } from '../store/user-folder.ts';
import { workflowPrograms } from '../workflow/run/program.ts';

export interface Composition {
  readonly site: Site;
  /** Folder of the built helper programs. */
  readonly dist: string;
  /** The output of steps is shown live. */
  readonly showsOutput: boolean;
  /** Values that must not be written to any file. */
  readonly secrets: readonly string[];
  readonly cassette?: CassetteUse;
  readonly rehearsal?: HostRehearsal;
  onEvent(event: RunEvent): void;
}

/** Some effects are not carried out: these are instead. They may call the real ones. */
export interface HostRehearsal extends Rehearsal {
  effects(real: EffectImplementations<EffectMap>): Partial<EffectImplementations<EffectMap>>;
}

export interface ComposedHost extends RunHost<EffectMap> {
  /** Call this when the run has ended. */
  close(): void;
}

const LEFTOVER_GRACE_MS = 5000;
/** No machine reuses all its pids within this time. */
const PIDS_STAY_UNIQUE_MS = 2000;

export function composeHost(composition: Composition): ComposedHost {
  const { dist } = composition;
  const runner = createProcessRunner({
    ...{ helpers: spawnHelpersIn(dist), native: nativeIn(dist) },
    enterSandbox: async (request, sandbox) => {
      const { enterSandbox } = await import('../process/sandbox/enter.ts');
      return enterSandbox(request, sandbox, join(dist, 'sandbox-gate.cjs'));
    },
  });
  // A workflow in code names secrets as it goes.
  const secrets = [...composition.secrets];
  const functions: FunctionTable = new Map();
  const redact = redactor(composition.secrets);
  const maskSecrets = (names: readonly string[]): void => {
    for (const name of names) {
      const value = composition.site.environment[name] ?? '';
      if (value !== '' && !secrets.includes(value)) secrets.push(value);
    }
  };
  const seals = createSeals(userFolder());
  const startedAt = uptimeMs();
  const pidBefore = lastPid();
  const effects = composeEffects({ ...composition, secrets }, { runProcess: runner.run, seals, functions });
  return {
    programs: {
      ...workflowPrograms(async (input, signal) => {
        const { openPrograms } = await import('./code/open-programs.ts');
        return openPrograms(composition.site, { functions, maskSecrets }, { input, signal });
      }),
      ...lazyPrograms(
        CONVERSE_PROGRAMS,
        async () => (await import('../converse/loop/program.ts')).conversePrograms,
      ),
      ...lazyPrograms(PHASES_PROGRAMS, async () => (await import('../phases/run/program.ts')).phasesPrograms),
      ...lazyPrograms(
        ITERATE_PROGRAMS,
        async () => (await import('../iterate/loop/program.ts')).iteratePrograms,
      ),
      ...lazyPrograms([CODE_PROGRAM], async () =>
        (await import('./code/run-code.ts')).codePrograms(composition.site, { functions, maskSecrets }),
      ),
      ...lazyPrograms([EXECUTE_PROGRAM], async () => ({
        [EXECUTE_PROGRAM]: (await import('../session/execute/program.ts')).runExecution,
      })),
      ...lazyPrograms([PLAN_PROGRAM], async () => ({
        [PLAN_PROGRAM]: (await import('../session/plan/program.ts')).runPlan,
      })),
    },
    effects: { ...effects, ...composition.rehearsal?.effects(effects) },
    takeOver: async (site, started) => {
      const ended = await endLeftProcesses(runMark(site), { graceMs: LEFTOVER_GRACE_MS, started });
      sweepSpools(runPathsIn(site.directory).logs);
      return ended;
    },
    endLeftovers: (site) => {
      const isShort = uptimeMs() - startedAt < PIDS_STAY_UNIQUE_MS;
      return endMarkedProcesses(runMark(site), {
        graceMs: LEFTOVER_GRACE_MS,
        ...(isShort && pidBefore !== undefined ? { after: pidBefore } : {}),
      });
    },
    onEvent: composition.onEvent,
    ...defined({ rehearsal: composition.rehearsal }),
    seals,
    redact: (data) =>
      secrets.length === composition.secrets.length
        ? (redact?.(data) ?? data)
        : (redactor(secrets)?.(data) ?? data),
    close: () => runner.close(),
  };
}

function composeEffects(
  composition: Composition,
  {
    runProcess,
    seals,
    functions,
  }: { readonly runProcess: RunProcess; readonly seals: Seals; readonly functions: FunctionTable },
): EffectImplementations<EffectMap> {
  const { site, showsOutput, cassette, secrets } = composition;
  // Both see the same tasks.
  const lookAtTasks = once(async () =>
    (await import('../session/execute/look-at-tasks.ts')).createLook({ trustFile: trustFile(userFolder()) }),
  );
  return {
    note,
    'run-command': createRunCommand({ runProcess, showsOutput, secrets }),
    'run-agent': lazily(async () => {
      const { createRunAgent } = await import('../effects/agent/run-agent.ts');
      const { askIn } = await import('../operations/config/ask-in.ts');
      return createRunAgent({
        ...{ runProcess, secrets, showsToolResults: showsOutput },
        askIn: (workspace) => askIn({ workspace, environment: process.env }),
        askHook: join(composition.dist, 'ask-hook.cjs'),
        ...(cassette === undefined
          ? {}
          : { cassette: { ...cassette, folder: localPath(site.workspace, cassette.folder) } }),
      });
    }),
    'run-tool': lazily(async () =>
      (await import('../effects/tool/run-tool.ts')).createRunTool({ runProcess, showsOutput, secrets }),
    ),
    'run-function': createRunFunction(functions),
    'wait-for-files': lazily(async () => (await import('../effects/wait-for-files.ts')).waitForFiles),
    'find-files': lazily(async () => (await import('../effects/find-files.ts')).findFilesEffect),
    'stamp-files': lazily(async () => (await import('../effects/stamp-files.ts')).stampFiles),
    'check-proof': lazily(async () =>
      (await import('../effects/check-proof.ts')).createCheckProof(runProcess, secrets),
    ),
    'move-file': lazily(async () => (await import('../effects/move-file.ts')).moveFile),
    'read-file': lazily(async () => (await import('../effects/read-file.ts')).readFile),
    'write-file': lazily(async () => (await import('../effects/write-file.ts')).writeFile),
    'append-line': lazily(async () => (await import('../effects/append-line.ts')).appendLine),
    'update-document': lazily(
      async () => (await import('../effects/update-document.ts')).updateDocumentEffect,
    ),
    'digest-tree': lazily(async () =>
      (await import('../effects/digest-tree.ts')).createDigestTree(runProcess),
    ),
    remember: lazily(async () => (await import('../effects/remember.ts')).remember),
    'add-tasks': lazily(async () => (await import('../session/plan/add-tasks-effect.ts')).addTasksEffect),
    'read-tasks': lazily(async () => (await lookAtTasks()).readTasks),
    'watch-tasks': lazily(async () => (await lookAtTasks()).watchTasks),
    'refresh-session': lazily(
      async () => (await import('../session/execute/refresh-session.ts')).refreshSession,
    ),
    'snapshot-tree': lazily(async () =>
      (await import('../effects/snapshot-tree.ts')).createSnapshotTree(runProcess),
    ),
    'commit-changes': lazily(async () =>
      (await import('../effects/commit-changes.ts')).createCommitChanges(runProcess),
    ),
    'switch-branch': lazily(async () =>
      (await import('../effects/switch-branch.ts')).createSwitchBranch(runProcess),
    ),
    'open-worktree': lazily(async () =>
      (await import('../effects/worktree.ts')).createOpenWorktree(runProcess),
    ),
    'commit-worktree': lazily(async () =>
      (await import('../effects/worktree.ts')).createCommitWorktree(runProcess),
    ),
    'merge-worktree': lazily(async () =>
      (await import('../effects/worktree.ts')).createMergeWorktree(runProcess),
    ),
    'discard-worktree': lazily(async () =>
      (await import('../effects/worktree.ts')).createDiscardWorktree(runProcess),
    ),
    'change-phases': lazily(
      async () => (await import('../phases/run/change-phases-effect.ts')).changePhasesEffect,
    ),
    'empty-folder': lazily(async () => (await import('../effects/empty-folder.ts')).emptyFolder),
    'archive-folder': lazily(async () => (await import('../effects/archive-folder.ts')).archiveFolder),
    'read-cache': lazily(async () => (await import('../effects/read-cache.ts')).createReadCache(seals)),
    'write-cache': lazily(async () => (await import('../effects/write-cache.ts')).createWriteCache(seals)),
  };
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** An effect whose file is loaded when it first runs. */
function lazily<Input, Output extends EffectOutput>(
  load: () => Promise<Effect<Input, Output>>,
): Effect<Input, Output> {
  const loaded = once(load);
  return async (input, context) => (await loaded())(input, context);
}

/** Programs whose file is loaded when one of them first runs. */
function lazyPrograms(
  names: readonly string[],
  load: () => Promise<Programs<EffectMap>>,
): Programs<EffectMap> {
  const lazy = names.map((name) => {
    const program: Programs<EffectMap>[string] = async (durable, input, signal) => {
      const loaded = (await load())[name];
      if (loaded === undefined) throw new Error(`unknown program \`${name}\``);
      return loaded(durable, input, signal);
    };
    return [name, program];
  });
  return Object.fromEntries(lazy);
}
