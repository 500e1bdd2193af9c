import * as v from 'valibot';
import type { JsonValue } from '../model/json.ts';
import { type MockTurn, mockScript } from '../model/mock-script.ts';
import { error, ok, type Result } from '../model/result.ts';

/** The script's turn for this call. */
export function mockTurn(
  script: JsonValue | undefined,
  call: { readonly prompt: string; readonly attempt: number },
): Result<MockTurn, string> {
  const parsed = v.safeParse(mockScript, script ?? {});
  if (!parsed.success) {
    const problems = parsed.issues.map((issue) => `\`${v.getDotPath(issue) ?? 'script'}\`: ${issue.message}`);
    return error(`the script of the mock agent is invalid: ${problems.join('; ')}`);
  }
  const { attempts, cases, ...always } = parsed.output;
  const { prompt: _, ...fitting } = cases?.find((one) => call.prompt.includes(one.prompt)) ?? { prompt: '' };
  return ok({ ...always, ...fitting, ...attempts?.[Math.min(call.attempt, attempts.length) - 1] });
}
