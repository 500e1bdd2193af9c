/** Loads the files named by `call` steps, recursively. Each is read once, however often it is called. */
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isModuleFile } from '../../store/module-file.ts';
import type { StepSource } from '../schema/step.ts';
import { loadFile } from './load-file.ts';
import { isUnusablePath, plainPath } from './plain-path.ts';
import { createReport } from './report.ts';
import type { WorkflowFile } from './workflow-file.ts';

const MAX_CALL_DEPTH = 16;
/** Called workflows are stored in the definition once per call. */
const MAX_CALLS = 1000;

export interface LoadedFiles {
  /** The workflow itself first. */
  readonly files: readonly [WorkflowFile, ...WorkflowFile[]];
  /** Diagnostics of files that could not be read as a workflow at all. */
  readonly unreadable: readonly Diagnostic[];
}

export function loadCalls(workspace: string, root: WorkflowFile): LoadedFiles {
  const files = new Map<string, WorkflowFile>([[root.path, root]]);
  const broken = new Map<string, readonly Diagnostic[]>();
  const unreadable: Diagnostic[] = [];

  function visit(file: WorkflowFile): void {
    for (const { step } of file.index.places) {
      const path = calledPath(step);
      if (path === undefined) continue;
      const problems = broken.get(path);
      if (problems !== undefined) {
        reportBroken(file, step, problems);
        continue;
      }
      const known = files.get(path);
      if (known !== undefined) {
        file.called.set(step, known);
        continue;
      }
      const loaded = loadFile(workspace, path);
      if (loaded.type === 'ok') {
        files.set(path, loaded.value);
        file.called.set(step, loaded.value);
        visit(loaded.value);
      } else {
        broken.set(path, loaded.error);
        reportBroken(file, step, loaded.error);
        unreadable.push(...loaded.error.filter((problem) => problem.code !== 'workflow/cannot-read'));
      }
    }
  }

  visit(root);
  refuseEndless(root);
  const [, ...called] = files.values();
  return { files: [root, ...called], unreadable };
}

/** Skips paths that rules report. */
function calledPath(step: StepSource): string | undefined {
  const path = step.call?.workflow;
  return path === undefined || isUnusablePath(path) || isModuleFile(path) ? undefined : plainPath(path);
}

function reportBroken(file: WorkflowFile, step: StepSource, problems: readonly Diagnostic[]): void {
  const [first] = problems;
  if (step.call === undefined || first?.code !== 'workflow/cannot-read') return;
  createReport(file.diagnostics).error(
    'workflow/call-not-found',
    file.places.valueRange(step.call, 'workflow'),
    {
      message: `step \`${step.name}\` cannot call its workflow: ${first.message}`,
      help: 'the path of a workflow is relative to the workspace',
    },
  );
}

/** The size of a file's calls when expanded: their number and depth. */
interface Extent {
  readonly calls: number;
  readonly levels: number;
}

/** Reports calls that are circular, nested too deep, or too many in total. */
function refuseEndless(root: WorkflowFile): void {
  const extents = new Map<WorkflowFile, Extent>();

  function extentOf(current: WorkflowFile, chain: readonly Call[]): Extent {
    const known = extents.get(current);
    if (known !== undefined) return known;
    let calls = 0;
    let levels = 0;
    for (const [step, target] of current.called) {
      const call = { file: current, step, target };
      if (target === current || chain.some((earlier) => earlier.file === target)) {
        refuseRing(call, chain);
        current.called.delete(step);
      } else if (chain.length + (extents.get(target)?.levels ?? 0) >= MAX_CALL_DEPTH) {
        at(call, 'workflow/call-too-deep', `calls are nested more than ${MAX_CALL_DEPTH} levels deep here`);
        current.called.delete(step);
      } else {
        const inner = extentOf(target, [...chain, call]);
        calls += 1 + inner.calls;
        levels = Math.max(levels, 1 + inner.levels);
      }
    }
    extents.set(current, { calls, levels });
    return { calls, levels };
  }

  if (extentOf(root, []).calls > MAX_CALLS) {
    const [first] = root.called;
    if (first === undefined) return;
    const [step, target] = first;
    at(
      { file: root, step, target },
      'workflow/too-many-calls',
      `the workflows called from here expand to more than ${MAX_CALLS} calls`,
    );
  }
}

interface Call {
  readonly file: WorkflowFile;
  readonly step: StepSource;
  readonly target: WorkflowFile;
}

/** `chain` is the path of calls up to this one. */
function refuseRing(call: Call, chain: readonly Call[]): void {
  const from = chain.findIndex((earlier) => earlier.file === call.target);
  const round = [...(from === -1 ? [] : chain.slice(from)), call];
  const names = [...round.map((each) => each.file.path), call.target.path];
  createReport(call.file.diagnostics).error('workflow/call-cycle', rangeOf(call), {
    message: `circular call: ${names.map((name) => `\`${name}\``).join(' → ')}`,
    related: round.slice(0, -1).map((each) => ({
      message: `\`${each.file.path}\` calls \`${each.target.path}\` here`,
      range: rangeOf(each),
    })),
  });
}

function at(call: Call, code: 'workflow/call-too-deep' | 'workflow/too-many-calls', message: string): void {
  createReport(call.file.diagnostics).once(code, rangeOf(call), { message });
}

function rangeOf(call: Call) {
  return call.file.places.valueRange(call.step.call ?? call.step, 'workflow');
}
