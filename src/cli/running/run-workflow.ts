import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import type { StartWorkflow } from '../../operations/definitions/asked.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { startFile } from '../../operations/starting/start-file.ts';
import type { CliContext } from '../context.ts';
import type { DetachOption, OutputOptions, TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { askingInputs } from './asking-inputs.ts';

export interface RunFlags extends OutputOptions, TrustOption, DetachOption {
  readonly context?: readonly string[];
  readonly contextFile?: string;
  readonly input?: readonly string[];
  readonly cleanProcessed?: boolean;
  readonly archiveProcessed?: string | true;
  readonly onError?: 'stop' | 'continue';
  readonly maxRetries?: number;
  readonly retryDelay?: number;
  readonly dryRun?: boolean;
  readonly record?: boolean;
  readonly replay?: string;
  readonly replayLoose?: boolean;
  readonly agent?: string;
  readonly cache?: boolean;
}

/** Turns the flags of `run` into the input of the operation. */
export function prepareWorkflow(
  context: CliContext,
  file: string,
  flags: RunFlags,
): () => Promise<Result<Prepared, Problem>> {
  return askingInputs(context, { file, flags }, (given) => prepare(context, flags, { file, given }));
}

async function prepare(
  context: CliContext,
  flags: RunFlags,
  { file, given }: { readonly file: string; readonly given: JsonObject },
): Promise<Result<Prepared, Problem>> {
  if (flags.replayLoose === true && flags.replay === undefined)
    return error({ type: 'loose-without-replay' });
  return startFile(siteOf(context), { file, context: given, ...askedBy(flags) });
}

function askedBy(flags: RunFlags): Omit<StartWorkflow, 'file' | 'context'> {
  const { archiveProcessed, replay } = flags;
  return {
    options: {
      ...defined({ onError: flags.onError, maxRetries: flags.maxRetries, retryDelayMs: flags.retryDelay }),
      ...(flags.dryRun === true ? { dryRun: true } : {}),
      ...defined({ agent: flags.agent }),
      ...(flags.cache === false ? { noCache: true } : {}),
    },
    ...(flags.record === true ? { records: true } : {}),
    ...(replay === undefined ? {} : { replay: { from: replay, isLoose: flags.replayLoose === true } }),
    ...(flags.cleanProcessed === true ? { cleanProcessed: true } : {}),
    ...(archiveProcessed === undefined
      ? {}
      : { archiveProcessed: archiveProcessed === true ? {} : { to: archiveProcessed } }),
  };
}
