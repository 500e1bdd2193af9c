/** The programs of iterate: the loop, and the two that only produce a report. */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Programs } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import { stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { DRY_VALIDATION } from '../agent/dry-run.ts';
import {
  ITERATE_PROGRAM,
  VALIDATE_PROGRAM,
  type ValidateInput,
  VERIFY_PROGRAM,
  type VerifyInput,
} from '../input.ts';
import { VALIDATION_SYSTEM, validationPrompt } from '../prompts/validation.ts';
import { askForReport, type Verified, verify } from '../verification/verify.ts';
import { runLoop } from './loop.ts';
import { changeMetadata } from './loop-state.ts';

export const iteratePrograms: Programs<EffectMap> = {
  [ITERATE_PROGRAM]: runLoop,
  [VERIFY_PROGRAM]: runVerify,
  [VALIDATE_PROGRAM]: runValidate,
};

async function runVerify(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as VerifyInput;
  const key = stepKey('verification');
  const verified = await verify(durable, key, input);
  if (verified.failure !== undefined) return reportOutput(verified);
  const counted = stepKey('verification@metadata');
  const { failure } = await changeMetadata(durable, input, {
    key: counted,
    changes: [
      { type: 'set', at: ['verification', 'lastVerificationStatus'], value: verified.report.status },
      { type: 'set', at: ['verification', 'lastVerificationTime'], value: verified.called.stepped.endedAt },
    ],
  });
  return reportOutput(failure === undefined ? verified : { ...verified, failure, retryKeys: [counted] });
}

async function runValidate(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as ValidateInput;
  const prompt = validationPrompt({ ...input, place: input });
  return reportOutput(
    await askForReport(durable, stepKey('validation'), {
      task: input,
      prompt,
      systemPrompt: VALIDATION_SYSTEM,
      reportPath: input.reportPath,
      dryReport: DRY_VALIDATION,
    }),
  );
}

function reportOutput(verified: Verified): JsonValue {
  const { text, called } = verified;
  const failed =
    verified.failure === undefined
      ? {}
      : { failure: verified.failure, failedStep: 'report', retryKeys: verified.retryKeys };
  return { text, ...failed, ...defined({ startedAt: called?.stepped.startedAt }) } as unknown as JsonValue;
}
