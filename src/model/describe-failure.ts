import type { AgentOutcome, Denied } from './agent.ts';
import type { BranchCause, Failure, WantedFiles } from './failure.ts';
import { unreachable } from './unreachable.ts';

/** The messages of all failures, defined once: what happened and, where useful, what to do. */
export function describeFailure(failure: Failure): string {
  switch (failure.type) {
    case 'exit-code':
      return failure.signal === undefined
        ? `the command ended with exit code ${failure.exitCode}`
        : `the command was killed by ${failure.signal}`;
    case 'timed-out':
      return failure.waitedFor === undefined
        ? `timed out after ${limit(failure.afterMs)}`
        : missingFiles(failure.waitedFor, limit(failure.afterMs));
    case 'idle':
      return `idle for ${limit(failure.afterMs)}; stopped`;
    case 'not-found':
      return `\`${failure.program}\` not found on PATH`;
    case 'cannot-start':
      return `cannot start \`${failure.program}\`: ${failure.reason} (${failure.code})`;
    case 'no-sandbox':
      return `no sandbox, so it was not started: ${failure.reason}; ${failure.help}`;
    case 'invalid-output':
      return failure.message;
    case 'undefined-variables':
      return describeUndefined(failure.names);
    case 'unusable-values':
      return failure.reasons.join('; ');
    case 'missing-placeholders':
      return `the provider's template needs ${list(failure.names)}; set it in \`defaults\` or \`provider_params\``;
    case 'missing-dependencies':
      return `missing dependency: no file matches ${list(failure.patterns)}`;
    case 'bad-pointer':
      return `\`${failure.pointer}\` ${failure.reason}`;
    case 'unsafe-path':
      return `the path \`${failure.path}\` ${failure.reason}`;
    case 'file':
      return `cannot ${failure.operation} \`${failure.path}\`: ${errnoWords(failure.code)}`;
    case 'moved':
      return failure.to === undefined
        ? `\`${failure.path}\` was moved, replaced or removed while the run was using it; no further steps were started. If you moved it, resume the run there`
        : `\`${failure.path}\` was moved to \`${failure.to}\` while the run was using it; no further steps were started. Resume the run there, or move it back`;
    case 'prompt-too-long':
      return `the prompt is ${failure.bytes} bytes, and the limit for an argument is ${failure.limit}; use \`input_mode: stdin\``;
    case 'agent':
      return describeOutcome(failure.outcome);
    case 'unproven':
      return `${failure.by ?? 'check'} failed: ${failure.reasons.join('; ')}`;
    case 'conflict':
      return describeConflict(failure);
    case 'rejected':
      return `rejected in review${failure.comment === undefined ? '' : `: ${failure.comment}`}; the work is kept on branch \`${failure.branch}\``;
    case 'too-many-visits':
      return `step \`${failure.step}\` was visited more than ${count(failure.limit, 'time')}; raise \`max_visits\` if this is intended`;
    case 'exhausted':
      return `${failure.what ?? 'the condition was still false'} after ${count(failure.iterations, 'iteration')}`;
    case 'branches-failed':
      return describeCauses(failure.causes);
    case 'over-budget':
      return `the budget of ${failure.limit} is used up (${failure.spent})`;
    case 'no-answer':
      return `not answered in time: ${failure.question}`;
    case 'replay-mismatch':
      return failure.message;
    case 'worker-lost':
      return `every worker that ran it died (${failure.times} times), so it is not started again`;
    case 'gave-up':
      return `the agent gave up: ${failure.reason}`;
    case 'ended':
      return failure.message;
    case 'program-error':
    case 'function-failed':
      return `${failure.message}${failure.at === undefined ? '' : ` (${failure.at})`}`;
    case 'cancelled':
      return 'cancelled';
    case 'internal-error':
      return `internal error: ${failure.message}`;
    default:
      return unreachable(failure);
  }
}

/** A merge may conflict in thousands of files. */
const FILES_SHOWN = 10;

function describeConflict({ files, branch, isUncommitted }: Extract<Failure, { type: 'conflict' }>): string {
  const more = files.length - FILES_SHOWN;
  const names = `${list(files.slice(0, FILES_SHOWN))}${more > 0 ? ` and ${more} more` : ''}`;
  const what = isUncommitted === true ? 'conflict with uncommitted changes' : 'merge conflict';
  return `${what} in ${names}${branch === undefined ? '' : `; the work is kept on branch \`${branch}\``}`;
}

/** A loop may have thousands of items, and all of them may fail. */
const CAUSES_SHOWN = 5;

function describeCauses(causes: readonly BranchCause[]): string {
  const shown = causes.slice(0, CAUSES_SHOWN).map((cause) => `${whichBranch(cause)}: ${cause.message}`);
  const more = causes.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`and ${more} more`])].join('; ');
}

/** An item is known by its name; in its key there is only its number. */
function whichBranch({ branch, item }: BranchCause): string {
  return item === undefined
    ? `branch \`${branch}\``
    : `item ${branch.slice(branch.lastIndexOf('/') + 1)} (${item})`;
}

function describeOutcome(outcome: AgentOutcome): string {
  switch (outcome.type) {
    case 'done':
      return 'the agent finished';
    case 'rate-limited':
      return outcome.resetsAt === undefined
        ? `the agent's usage limit was reached: ${outcome.message}`
        : `the agent's usage limit was reached; it resets at ${outcome.resetsAt}`;
    case 'overloaded':
      return `the model is overloaded${status(outcome.status)}: ${outcome.message}`;
    case 'api-error':
      return `the model's API returned an error${status(outcome.status)}: ${outcome.message}`;
    case 'auth':
      return `the agent is not signed in or its key was rejected: ${outcome.message}`;
    case 'denied':
      return describeDenial(outcome);
    case 'max-turns':
      return `the agent reached its turn limit: ${outcome.message}`;
    case 'over-budget':
      return outcome.isAccount === true
        ? `the agent's account is out of credit or quota: ${outcome.message}`
        : `the agent reached its budget limit: ${outcome.message}`;
    case 'invalid-input':
      return `the agent rejected the call: ${outcome.message}`;
    case 'timed-out':
      return `the agent timed out after ${limit(outcome.afterMs)}`;
    case 'idle':
      return `the agent was idle for ${limit(outcome.afterMs)} and was stopped`;
    case 'hung-after-result':
      return `the agent returned its result but did not exit within ${limit(outcome.afterMs)}, so it was stopped`;
    case 'crashed':
      return `the agent ended without a result: ${outcome.message}`;
    case 'not-found':
      return `agent program \`${outcome.program}\` not found on PATH`;
    default:
      return unreachable(outcome);
  }
}

/** Includes the fix: the user has to change whatever refused it. */
function describeDenial(outcome: Extract<AgentOutcome, { type: 'denied' }>): string {
  const { tools, message, by } = outcome;
  if (by === 'untrusted-folder') {
    return `the agent does not trust this folder; trust it with the agent itself, or use \`${outcome.permit ?? 'permissions: bypass'}\`: ${message}`;
  }
  if (by === 'hook') {
    const what = tools.length === 0 ? 'the agent' : `the agent's call of ${list(tools)}`;
    return `a hook stopped ${what}: ${message === '' ? 'no reason given' : message}`;
  }
  // An exit code of the user's own command carries no more detail.
  if (tools.length === 0) return `the agent was denied what it needs: ${message}`;
  const said = message === '' ? '' : `. Its last words: "${message}"`;
  return `the agent was denied ${list(tools)}; ${wayOut(outcome)}${said}`;
}

function wayOut({ tools, by, isBypassed, hasNoList, permit }: Denied): string {
  if (by === 'denied-tools') return '`denied_tools` forbids it';
  if (by === 'ask-rule') return 'a rule of `ask` denies it';
  if (by === 'person') return 'a person refused it';
  if (isBypassed === true) return "a rule or hook in the agent's own settings refuses it";
  if (permit === undefined && hasNoList === true) return 'allow it with `permissions: bypass`';
  return permit === undefined
    ? `allow it with \`allowed_tools: [${tools.join(', ')}]\` or \`permissions: bypass\``
    : `allow it in the agent's own settings, or use \`${permit}\``;
}

/** A secret is named as under `secrets:`. */
function describeUndefined(names: readonly string[]): string {
  const unset = names.filter((name) => name.startsWith('env.')).map((name) => `\`${name.slice(4)}\``);
  const others = names.filter((name) => !name.startsWith('env.')).map((name) => `\${${name}}`);
  return [
    ...(unset.length === 0 ? [] : [`secret not set in the environment: ${unset.join(', ')}`]),
    ...(others.length === 0 ? [] : [`no value for ${list(others)}`]),
  ].join('; ');
}

export function errnoWords(code: string): string {
  const words: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOENT: 'no such file or folder',
    ENOTDIR: 'a part of the path is not a folder',
    EISDIR: 'it is a folder',
    EFBIG: 'file too large',
    EEXIST: 'it already exists',
    EMFILE: 'too many files are open',
    ETAKENOVER: 'another worker has taken over the run',
    EIO: 'the disk reported an error',
    ELOOP: 'its path contains a symbolic link; replace the link with a real file or folder',
    EFTYPE: 'it is not a regular file',
    EOVERFLOW: 'it is larger than 256 MiB, the limit for reading a file',
    ENOTLOCK: 'another file is in the place of its lock',
  };
  const known = words[code];
  return known === undefined ? code : `${known} (${code})`;
}

function missingFiles({ glob, wanted, found }: WantedFiles, within: string): string {
  return wanted === 1
    ? `no file matched \`${glob}\` within ${within}`
    : `only ${found} of ${wanted} files matched \`${glob}\` within ${within}`;
}

/** A limit set by a user, shown exactly as set. */
function limit(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${String(rest).padStart(2, '0')} s`}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function status(code: number | undefined): string {
  return code === undefined ? '' : ` (HTTP ${code})`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ');
}
