import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import { ok, type Result } from '../model/result.ts';
import type { Block, BlockEnd } from './block.ts';
import { renderValue, renderValues } from './render.ts';

/** The declared outputs of a workflow. One that ended early, with `end`, has only those whose steps have run. */
export function outputsOf(
  block: Block,
  end: BlockEnd,
): Result<{ readonly [name: string]: JsonValue }, Failure> {
  const declared = block.definition.outputs ?? {};
  if (end.leaving === undefined) return renderValues(block, declared);
  const outputs: { [name: string]: JsonValue } = {};
  for (const [name, text] of Object.entries(declared)) {
    const value = renderValue(block, text);
    if (value.type === 'ok') outputs[name] = value.value;
    else if (value.error.type !== 'undefined-variables') return value;
  }
  return ok(outputs);
}
