import type { TokenUsage } from '../../model/agent.ts';
import type { JsonObject } from '../../model/json.ts';
import { numberOf, objectOf } from '../fields.ts';
import { addUsage } from '../usage.ts';

export interface Total {
  readonly costUsd: number | null;
  readonly usage: TokenUsage | undefined;
}

export interface SpentLedger {
  /** Processes a `result` event; returns the process's total so far. */
  add(result: JsonObject): Total;
}

/**
 * What this process spent. In some versions, `total_cost_usd` and `modelUsage` of a continued conversation include earlier processes;
 * these versions also report what each result added, which is summed up. `usage` omits an interrupted turn.
 */
export function createSpentLedger(): SpentLedger {
  let summed: Total | undefined;
  return {
    add(result) {
      const added = result['model_usage_since_last_result'];
      if (added === undefined) {
        const byModel = sumModels(objectOf(result['modelUsage']));
        return {
          costUsd: numberOf(result['total_cost_usd']) ?? null,
          usage: byModel.usage ?? plainUsage(result),
        };
      }
      const one = sumModels(objectOf(added));
      summed = {
        costUsd:
          summed?.costUsd === null || one.costUsd === null ? null : (summed?.costUsd ?? 0) + one.costUsd,
        usage: addUsage(summed?.usage, one.usage) ?? plainUsage(result),
      };
      return summed;
    },
  };
}

function sumModels(models: JsonObject): Total {
  let costUsd: number | null = 0;
  let usage: TokenUsage | undefined;
  for (const value of Object.values(models)) {
    const model = objectOf(value);
    const cost = numberOf(model['costUSD']);
    costUsd = cost === undefined || costUsd === null ? null : costUsd + cost;
    usage = addUsage(usage, {
      inputTokens: numberOf(model['inputTokens']) ?? 0,
      outputTokens: numberOf(model['outputTokens']) ?? 0,
      cacheReadTokens: numberOf(model['cacheReadInputTokens']) ?? 0,
      cacheWriteTokens: numberOf(model['cacheCreationInputTokens']) ?? 0,
    });
  }
  return { costUsd, usage };
}

function plainUsage(result: JsonObject): TokenUsage | undefined {
  const usage = objectOf(result['usage']);
  const inputTokens = numberOf(usage['input_tokens']);
  if (inputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens: numberOf(usage['output_tokens']) ?? 0,
    cacheReadTokens: numberOf(usage['cache_read_input_tokens']) ?? 0,
    cacheWriteTokens: numberOf(usage['cache_creation_input_tokens']) ?? 0,
  };
}
