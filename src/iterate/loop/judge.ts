/** I2: the agent's claim comes first, then the checks, then the verification. Stagnation counts only without a claim. */
import { join } from 'node:path';
import { charge } from '../../engine/ledger.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { checkFindings, verificationFindings } from '../prompts/findings.ts';
import { NO_SUMMARY, type VerificationReport } from '../verification/verification-report.ts';
import { verify } from '../verification/verify.ts';
import { pathsIn } from '../workspace/layout.ts';
import { failedChecks } from './checks.ts';
import { allowanceFor, budgetFailure, cutShortBy, withinTime } from './limits.ts';
import {
  dropClaim,
  explain,
  type LoopEnd,
  type LoopState,
  placeOf,
  set,
  updateMetadata,
} from './loop-state.ts';
import type { TaskProgress } from './progress.ts';

/** Undefined: the loop continues. */
export async function judge(
  state: LoopState,
  key: StepKey,
  progress: TaskProgress,
): Promise<LoopEnd | undefined> {
  const { input, limits, noWork } = state;
  if (progress.abort !== undefined) {
    return { stopReason: 'abort', failure: { type: 'gave-up', reason: progress.abort } };
  }
  if (progress.complete) return judgeClaim(state, key, progress);
  const limit = input.mode === 'iterative' ? limits.stagnationThreshold : 0;
  return limit > 0 && noWork >= limit ? { stopReason: 'stagnation', noWork } : undefined;
}

async function judgeClaim(
  state: LoopState,
  key: StepKey,
  progress: TaskProgress,
): Promise<LoopEnd | undefined> {
  const { input } = state;
  const failed = await failedChecks(state, key);
  if (failed.length === 0) {
    return input.verification.autoVerify
      ? judgeByVerification(state, key, progress)
      : { stopReason: 'complete' };
  }
  const reasons = failed.map(({ command, how }) => `\`${command}\`: ${how}`);
  await explain(state, key, `not complete: ${reasons.join('; ')}`);
  await refuseClaim(state, sideKey(key, 'not-complete'), progress);
  state.findings = checkFindings(failed);
  return undefined;
}

async function judgeByVerification(
  state: LoopState,
  key: StepKey,
  progress: TaskProgress,
): Promise<LoopEnd | undefined> {
  const { durable, input } = state;
  const { resumeOnFail, maxAttempts, reportFilename, depth } = input.verification;
  const at = stepKey('verification', state.verifications + 1);
  const allowed = await allowanceFor(state, at);
  if (allowed.type === 'error') {
    await explain(state, key, 'not complete: no budget left to verify it');
    return { stopReason: 'budget', failure: allowed.error };
  }
  state.verifications += 1;
  const reportPath = join(input.workspacePath, reportFilename);
  const { stop } = pathsIn(input.workspacePath);
  const verified = await verify(durable, at, {
    ...input,
    ...{ depth, reportPath, instructions: state.instructions },
    ...placeOf(state),
    within: {
      ...{ ...allowed.value, ...withinTime(state), stopFile: stop, resting: state.resting },
      ...defined({ cwd: state.cwd }),
    },
  });
  for (const spent of verified.called?.spent ?? []) charge(state.ledger, spent);
  if (verified.called?.stepped.stopped === true) return { stopReason: 'stopped' };
  if (verified.failure !== undefined) {
    const { failure, retryKeys } = verified;
    if (cutShortBy(state, failure) === 'budget')
      return { stopReason: 'budget', failure: budgetFailure(state, failure) };
    return { stopReason: 'failed', failure, failedStep: at, retryKeys };
  }
  const { called, report } = verified;
  const passed = report.status === 'pass';
  const willResume = !passed && resumeOnFail && state.verifications < maxAttempts;
  if (willResume) state.resumeCycles += 1;
  const counted = sideKey(at, 'metadata');
  const unkept = await updateMetadata(state, counted, [
    set(['verification', 'verificationAttempts'], state.verifications),
    set(['verification', 'lastVerificationStatus'], report.status),
    set(['verification', 'lastVerificationTime'], called.stepped.endedAt),
    set(['verification', 'verifyResumeCycles'], state.resumeCycles),
  ]);
  if (unkept !== undefined)
    return { stopReason: 'failed', failure: unkept, failedStep: at, retryKeys: [counted] };
  if (passed) return { stopReason: 'complete' };
  await explain(state, key, `not complete: verification ${state.verifications} says ${report.status}`);
  await refuseClaim(state, sideKey(at, 'not-complete'), progress);
  if (willResume) {
    state.findings = verificationFindings({ ...report, reportPath });
    return undefined;
  }
  const continueWith = `claude-iterate run ${input.name}`;
  const failure = { type: 'unproven', reasons: reasonsIn(report), by: 'verification' } as const;
  return { stopReason: 'verification', failure, continueWith };
}

function reasonsIn({ status, issues, summary }: VerificationReport): readonly string[] {
  if (issues.length > 0) return issues;
  if (summary !== NO_SUMMARY) return [summary];
  return [status === 'needs_review' ? 'the report has no verdict' : 'the report has no summary'];
}

/** I3 */
async function refuseClaim(state: LoopState, key: StepKey, progress: TaskProgress): Promise<void> {
  if (progress.claimedIn === 'status' && !state.keepsStatus)
    await dropClaim(state.durable, key, { root: state.input.workspacePath });
}
