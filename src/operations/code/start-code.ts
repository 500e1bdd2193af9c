/** Plans a run of a workflow in code. Its input is checked before the first byte is written. */
import type { CodeInput, CodeOptions } from '../../code/input.ts';
import { givenInput } from '../../code/run/given-input.ts';
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import type { LoadedCode } from './load-code.ts';
import { digestsOf, planNewCode } from './plan-code.ts';

export interface StartCode {
  readonly runId?: RunId;
  readonly input: JsonValue;
  readonly options?: CodeOptions;
  /** Records or replays agent calls, in the folder of this run or from another. */
  cassette?(runId: RunId): CassetteUse | undefined;
}

export async function startLoaded(
  site: Site,
  loaded: LoadedCode,
  asked: StartCode,
): Promise<Result<Prepared, Problem>> {
  const { workflow, file, sources } = loaded;
  const given = await givenInput(workflow, asked.input);
  if (given.type === 'error')
    return error({ type: 'input-does-not-fit', file, reasons: given.error.map(({ text }) => text) });
  const { options = {} } = asked;
  const known = Object.keys(workflow.agents ?? {});
  if (options.agent !== undefined && known.length > 0 && !known.includes(options.agent))
    return error({ type: 'unknown-provider', provider: options.agent, providers: known });
  const runId = asked.runId ?? newRunId(site.workspace);
  const input: CodeInput = {
    ...{ runId, workspace: site.workspace, name: workflow.name, input: given.value, options },
    ...(sources.length === 0 ? {} : { file }),
    sources: digestsOf(sources),
    startedAt: site.now().toISOString(),
    ...(workflow.keep === 'never' ? { keep: workflow.keep } : {}),
    ...defined({ cassette: asked.cassette?.(runId) }),
  };
  return planNewCode(site, { input, loaded });
}
