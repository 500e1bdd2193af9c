import { isSafeName, sideKey } from '../model/ids.ts';
import { parseJsonObject } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import { note } from '../steps/notes.ts';
import { checkRelativePath } from '../store/safe-path.ts';
import { type StepCall, wholeKey } from './block.ts';

/**
 * Outputs that an agent lists in its status file belong to the step, like its `output_file`. The file counts only if it names this run
 * and this step, since it may be left over from an earlier one.
 */
export async function withStatusOutputs(call: StepCall, record: StepRecord): Promise<StepRecord> {
  const { block, step, key } = call;
  if (step.agent === undefined || !isSafeName(step.agent) || block.options.dryRun === true) return record;
  const { output } = await block.durable.step(sideKey(key, 'status'), 'read-file', {
    path: `artifacts/${step.agent}/status.json`,
  });
  const outputs = outputsIn(output.text ?? '', {
    runId: block.run.id,
    steps: [step.name, wholeKey(block, key)],
  });
  const known = record.artifacts ?? [];
  const artifacts = [...new Set([...known, ...outputs])];
  if (artifacts.length === known.length) return record;
  await note(block, { key, side: 'outputs' }, { type: 'record', record: { artifacts } });
  return { ...record, artifacts };
}

function outputsIn(
  text: string,
  about: { readonly runId: string; readonly steps: readonly string[] },
): readonly string[] {
  const status = parseJsonObject(text);
  if (status?.['schema'] !== 'status/v1' || status['run_id'] !== about.runId) return [];
  if (!about.steps.some((step) => step === status['step'])) return [];
  const outputs = status['outputs'];
  if (!Array.isArray(outputs)) return [];
  return outputs.filter(
    (path) => typeof path === 'string' && checkRelativePath(path).type === 'ok',
  ) as string[];
}
