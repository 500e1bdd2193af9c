/** The prompt of an agent step. A truncated value is put in whole: an agent's answer as text, a command's output from its log. */
import type { PromptPart, RunAgentInput, RunAgentOutput } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import { outputText } from '../model/output-text.ts';
import type { StepRecord } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { note } from '../steps/notes.ts';
import { parseVariables } from '../template/parse-variables.ts';
import { readableText } from '../template/render.ts';
import { referenceValue } from '../template/scope.ts';
import { isReference, type Reference } from '../template/template.ts';
import type { Block, StepCall } from './block.ts';
import type { CacheBasis } from './cached.ts';
import type { ProviderStep, StepCommon, Text } from './definition.ts';
import { renderText } from './render.ts';
import { recordNamed, truncationOf, variablesOf } from './variables.ts';

/** The largest prompt, and so the largest value in it. */
const MAX_BYTES = 1024 * 1024;

export function promptOf(
  block: Block,
  step: StepCommon & ProviderStep,
): Result<readonly PromptPart[], Failure> {
  if (step.prompt !== undefined) return renderPrompt(block, step.prompt);
  if (step.inputFile === undefined) return ok([]);
  const path = renderText(block, step.inputFile);
  if (path.type === 'error') return path;
  const missing =
    block.options.dryRun === true ? { ifMissing: `(\`${path.value}\` does not exist yet)` } : {};
  return ok([{ type: 'file', path: path.value, ...missing }]);
}

function renderPrompt(block: Block, prompt: Text): Result<readonly PromptPart[], Failure> {
  const parts: PromptPart[] = [];
  const missing = new Set<string>();
  const reasons = new Set<string>();
  let total = 0;
  for (const piece of parseVariables(prompt).template) {
    if (!isReference(piece)) {
      parts.push({ type: 'text', text: piece });
      continue;
    }
    const cut = truncationOf(block, piece.path);
    if (cut !== undefined && piece.path[2] === 'results') {
      reasons.add(cut);
      continue;
    }
    const rendered = cut === undefined ? complete(block, piece) : completed(block, piece);
    if (rendered === undefined) missing.add(piece.text);
    else if (rendered === 'not-kept') reasons.add(`the complete \`${piece.text}\` was not kept: ${INSTEAD}`);
    else {
      const bytes = rendered.type === 'log' ? rendered.log.bytes : Buffer.byteLength(rendered.text);
      if (bytes > MAX_BYTES) reasons.add(`\`${piece.text}\` has ${tooMany(bytes)}`);
      total += bytes;
      parts.push(rendered);
    }
  }
  if (missing.size > 0) return error({ type: 'undefined-variables', names: [...missing] });
  if (reasons.size === 0 && total > MAX_BYTES) reasons.add(`the values of the prompt have ${tooMany(total)}`);
  return reasons.size === 0 ? ok(parts) : error({ type: 'unusable-values', reasons: [...reasons] });
}

type ValuePart = Exclude<PromptPart, { readonly type: 'file' | 'place' }>;

function complete(block: Block, reference: Reference): ValuePart | undefined {
  const value = referenceValue(variablesOf(block), reference);
  return value === undefined ? undefined : { type: 'text', text: readableText(value, reference) };
}

/** What a truncated variable would be if it were complete. */
function completed(block: Block, reference: Reference): ValuePart | 'not-kept' {
  const [, name = '', field, ...rest] = reference.path;
  // Only whole lines are kept.
  if (rest.length > 0) return complete(block, reference) ?? 'not-kept';
  const record: (StepRecord & Pick<RunAgentOutput, 'answer'>) | undefined = recordNamed(block, name);
  const as = field === 'lines' ? 'lines' : 'output';
  if (record?.log !== undefined) return { type: 'log', name: reference.text, as, log: record.log };
  return record?.answer === undefined ? 'not-kept' : { type: 'text', text: outputText(record.answer, as) };
}

const INSTEAD = 'write it to a file (`output_file`) and add that file to the prompt with `depends_on.inject`';

function tooMany(bytes: number): string {
  return `${bytes} bytes, and a prompt takes at most ${MAX_BYTES} (1 MiB): ${INSTEAD}`;
}

/** Logs count by their contents, not by the run that wrote them. */
export function cacheBasis(input: RunAgentInput): CacheBasis {
  const { prompt } = input;
  const basis = {
    ...input,
    prompt: prompt.map((part) => (part.type === 'log' ? { type: part.type, as: part.as } : part)),
  };
  return {
    basis: basis as unknown as JsonValue,
    files: prompt.flatMap((part) => (part.type === 'file' ? [part.path] : [])),
    logs: prompt.flatMap((part) => (part.type === 'log' ? [part.log] : [])),
  };
}

const SHOWN_CHARACTERS = 4000;

/** Shows the prompt in a dry run, in which results of steps are still names. */
export async function noteDryRun(
  { block, step, key }: StepCall<StepCommon & ProviderStep>,
  { prompt }: RunAgentInput,
): Promise<void> {
  const name = block.options.agent ?? step.provider;
  const message = `dry run: would ask \`${name}\`${shownPrompt(prompt)}`;
  await note(block, { key, side: 'why' }, { type: 'decision', message });
}

function shownPrompt(prompt: readonly PromptPart[]): string {
  if (prompt.length === 0) return ' without a prompt';
  const [only, ...others] = prompt;
  if (only?.type === 'file' && others.length === 0) return ` with the prompt \`${only.path}\``;
  const text = prompt
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trimEnd();
  return `:\n${text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}`;
}
