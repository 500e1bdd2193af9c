/** Loads a workflow in code and plans its run. Its input is checked before the first byte is written. */
import type { CodeInput, CodeOptions } from '../../code/input.ts';
import { describeNotJson, plainJson } from '../../code/run/plain-json.ts';
import { validated } from '../../code/run/schemas.ts';
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { type LoadedCode, loadCode } from './load-code.ts';
import { planNewCode } from './plan-code.ts';

export interface StartCode {
  readonly file: string;
  readonly runId?: RunId;
  readonly input: JsonValue;
  readonly options?: CodeOptions;
  /** Records or replays agent calls, in the folder of this run or from another. */
  cassette?(runId: RunId): CassetteUse | undefined;
}

export async function startCode(site: Site, asked: StartCode): Promise<Result<Prepared, Problem>> {
  const loaded = await loadCode(site, asked.file);
  return loaded.type === 'ok' ? startLoaded(site, loaded.value, asked) : loaded;
}

export async function startLoaded(
  site: Site,
  loaded: LoadedCode,
  asked: Omit<StartCode, 'file'>,
): Promise<Result<Prepared, Problem>> {
  const { workflow, file, sources } = loaded;
  const given = await checkedInput(loaded, asked.input);
  if (given.type === 'error') return given;
  const { options = {} } = asked;
  const known = Object.keys(workflow.agents ?? {});
  if (options.agent !== undefined && known.length > 0 && !known.includes(options.agent))
    return error({ type: 'unknown-provider', provider: options.agent, providers: known });
  const runId = asked.runId ?? newRunId(site.workspace);
  const input: CodeInput = {
    ...{ runId, workspace: site.workspace, name: workflow.name, input: given.value, options },
    ...(sources.length === 0 ? {} : { file }),
    sources: sources.map(({ file, digest }) => ({ file, digest })),
    startedAt: site.now().toISOString(),
    ...(workflow.keep === 'never' ? { keep: workflow.keep } : {}),
    ...defined({ cassette: asked.cassette?.(runId) }),
  };
  return planNewCode(site, { input, loaded });
}

async function checkedInput(
  { workflow, file }: LoadedCode,
  given: JsonValue,
): Promise<Result<JsonValue, Problem>> {
  const plain = plainJson(given);
  if (plain.type === 'error')
    return error({ type: 'input-does-not-fit', file, reasons: [describeNotJson(plain.error)] });
  if (workflow.input === undefined) return plain;
  const fits = await validated(workflow.input, plain.value);
  if (fits.type === 'ok') return ok(plain.value);
  // On a command line every value is text.
  const read = withValues(plain.value);
  if ((await validated(workflow.input, read)).type === 'ok') return ok(read);
  return error({ type: 'input-does-not-fit', file, reasons: fits.error });
}

/** `{count: "3"}` → `{count: 3}`. */
function withValues(given: JsonValue): JsonValue {
  if (!isJsonObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? valueIn(value) : value]),
  );
}

function valueIn(text: string): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch {
    return text;
  }
}
