import { nearest } from '../../model/suggest.ts';
import type { LoadOptions } from './load-workflow.ts';
import { createReport, type Words } from './report.ts';
import type { WorkflowFile } from './workflow-file.ts';

/** A context key that a file reads but does not set must be set from outside: by the command line or the step that calls it. */
export function checkContext(root: WorkflowFile, files: readonly WorkflowFile[], options: LoadOptions): void {
  const { extraContext } = options;
  const report = createReport(root.diagnostics);
  for (const { key, range, isOptional } of root.openContext) {
    if (isOptional === true || extraContext?.includes(key)) continue;
    const words = wordsFor(root, key, extraContext ?? []);
    if (extraContext === undefined) report.warning('template/unknown-context', range, words);
    else report.error('template/unknown-context', range, words);
  }
  for (const key of extraContext ?? []) checkGiven(root, key);
  for (const file of files) checkCalls(file);
}

/** A key that is set from outside and never read is often misspelt. */
function checkGiven(root: WorkflowFile, key: string): void {
  const known = [...Object.keys(root.source.context ?? {}), ...root.openContext.map((open) => open.key)];
  if (known.includes(key)) return;
  const meant = nearest(key, known);
  root.diagnostics.push({
    code: 'context/not-read',
    severity: 'warning',
    message: `context key \`${key}\` is set, but the workflow does not read \`context.${key}\``,
    path: root.path,
    ...(meant === undefined ? {} : { help: `did you mean \`${meant}\`?` }),
  });
}

function checkCalls(file: WorkflowFile): void {
  for (const [step, target] of file.called) {
    if (step.call === undefined) continue;
    const given = step.call.context ?? {};
    const asked = new Set<string>();
    for (const { key, range, isOptional } of target.openContext) {
      if (isOptional === true || Object.hasOwn(given, key) || asked.has(key)) continue;
      asked.add(key);
      createReport(file.diagnostics).error('template/unknown-context', file.places.keyRange(step, 'call'), {
        message: `step \`${step.name}\` calls \`${target.path}\`, which reads \`context.${key}\`, but neither sets it`,
        related: [{ message: 'it is read here', range }],
        help: `add \`${key}\` to the \`context\` of the call`,
      });
    }
  }
}

function wordsFor(root: WorkflowFile, key: string, extra: readonly string[]): Words {
  const meant = nearest(key, [...Object.keys(root.source.context ?? {}), ...extra]);
  return {
    message: `\`context.${key}\` is not defined: \`context\` has no key \`${key}\``,
    help:
      meant === undefined
        ? `add it to \`context\`, or pass \`--context ${key}=…\``
        : `did you mean \`context.${meant}\`?`,
  };
}
