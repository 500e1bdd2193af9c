import { nearest } from '../../model/suggest.ts';
import type { LoadOptions } from './load-workflow.ts';
import { createReport, type Words } from './report.ts';
import type { WorkflowFile } from './workflow-file.ts';

/** A context key that a file reads and does not set must come from who runs it: the command line, or the step that calls it. */
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

/** A key given from outside that nothing reads is often one that is misspelt. */
function checkGiven(root: WorkflowFile, key: string): void {
  const known = [...Object.keys(root.source.context ?? {}), ...root.openContext.map((open) => open.key)];
  if (known.includes(key)) return;
  const meant = nearest(key, known);
  root.diagnostics.push({
    code: 'context/not-read',
    severity: 'warning',
    message: `the context key \`${key}\` was given, and the workflow reads no \`context.${key}\``,
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
        message: `step \`${step.name}\` calls \`${target.path}\`, which reads \`context.${key}\`, and neither of them sets it`,
        related: [{ message: 'it is read here', range }],
        help: `add \`${key}\` to the \`context\` of the call`,
      });
    }
  }
}

function wordsFor(root: WorkflowFile, key: string, extra: readonly string[]): Words {
  const meant = nearest(key, [...Object.keys(root.source.context ?? {}), ...extra]);
  return {
    message: `\`context.${key}\` has no value: the file's \`context\` has no key \`${key}\``,
    help:
      meant === undefined
        ? `add it to \`context\`, or give it with \`--context ${key}=…\``
        : `did you mean \`context.${meant}\`?`,
  };
}
