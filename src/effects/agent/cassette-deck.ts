/** Records agent calls as files and answers from them. */
import fs from 'node:fs';
import { type Cassette, parseCassette, renderCassette } from '../../agents/cassette.ts';
import { unifiedDiff } from '../../agents/unified-diff.ts';
import type { EffectContext } from '../../engine/durable.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { cassetteFile } from '../../store/layout.ts';

export type CassetteUse =
  | { readonly type: 'record'; readonly folder: string }
  /** `loose`: answers also when the prompt is another than the recorded one. */
  | { readonly type: 'replay'; readonly folder: string; readonly loose: boolean };

export function loadCassette(
  use: Extract<CassetteUse, { type: 'replay' }>,
  call: { readonly agent: string; readonly prompt: string },
  context: EffectContext,
): Result<Cassette, Failure> {
  const path = cassetteFile(use.folder, context.key, context.attempt);
  const step = `step \`${context.key}\`${context.attempt > 1 ? `, attempt ${context.attempt}` : ''}`;
  let text: string;
  try {
    text = fs.readFileSync(path, 'utf8');
  } catch {
    return mismatch(`nothing is recorded for ${step}: there is no \`${path}\``);
  }
  const parsed = parseCassette(text, context.run);
  if (parsed.type === 'error') return mismatch(`the recording \`${path}\` cannot be read: ${parsed.error}`);
  const cassette = parsed.value;
  if (use.loose) return ok(cassette);
  if (cassette.agent !== call.agent) {
    return mismatch(`${step} was recorded with agent \`${cassette.agent}\` and now has \`${call.agent}\``);
  }
  if (cassette.prompt !== call.prompt) {
    const diff = unifiedDiff(cassette.prompt, call.prompt, {
      before: 'recorded prompt',
      after: 'prompt of this run',
    });
    return mismatch(
      `the prompt of ${step} is not the recorded one; record it again or replay loosely:\n${diff}`,
    );
  }
  return ok(cassette);
}

export function saveCassette(folder: string, cassette: Cassette, context: EffectContext): void {
  fs.mkdirSync(folder, { recursive: true });
  replaceFile(cassetteFile(folder, context.key, context.attempt), renderCassette(cassette, context.run));
}

function mismatch(message: string): { readonly type: 'error'; readonly error: Failure } {
  return error({ type: 'replay-mismatch', message });
}
