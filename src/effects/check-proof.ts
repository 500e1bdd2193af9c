import type { Effect, EffectContext } from '../engine/durable.ts';
import { checkSchema } from '../model/check-schema.ts';
import type { Failure } from '../model/failure.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { childEnvironment, type Environment, runMark, valuesToMask } from '../process/environment.ts';
import { maskText } from '../process/mask.ts';
import type { RunProcess } from '../process/run-process.ts';
import { findFiles } from '../store/glob.ts';
import { shownGlob } from '../store/glob-pattern.ts';
import { plainData } from '../store/plain-data.ts';
import { readFileInside, resolveInside } from '../store/safe-path.ts';
import { quoteWords } from '../template/quote.ts';
import type { CheckProofInput, CheckProofOutput } from './contracts.ts';
import { sandboxRequest } from './sandbox.ts';
import { timeLimit } from './time-limit.ts';
import { workingFolder } from './working-folder.ts';

const TAIL_BYTES = 2048;
/** The same mismatch in a list of a million elements is reported this often, not a million times. */
const MOST_MISMATCHES = 100;

/**
 * Checks that a step left what it had to. Every missing proof is a reason; a check that cannot be made is a failure.
 * `secrets`: values of the whole run, which no reason may contain.
 */
export function createCheckProof(
  run: RunProcess,
  secrets: readonly string[] = [],
): Effect<CheckProofInput, CheckProofOutput> {
  return async (input, context) => {
    const reasons: string[] = [];
    const files: string[] = [];
    for (const pattern of input.files) {
      const found = findFiles(context.run.workspace, pattern);
      if (found.type === 'error') return { reasons, files, failure: found.error };
      if (found.value.length === 0) reasons.push(`no file matches \`${shownGlob(pattern)}\``);
      for (const file of found.value) files.push(file);
    }
    const schema = schemaOf(input, context);
    if (schema.type === 'error') return { reasons, files, failure: schema.error };
    const json = schema.value === undefined ? ok(undefined) : subjectOf(input, context);
    if (json.type === 'error') reasons.push(json.error);
    else if (schema.value !== undefined && json.value !== undefined) {
      addBounded(reasons, checkSchema(schema.value, json.value));
    }
    const env = childEnvironment({
      runId: context.run.runId,
      runMark: runMark(context.run),
      key: context.key,
    });
    const mask = [...secrets, ...valuesToMask(env, [])];
    const { workspace } = context.run;
    const cwd = input.cwd === undefined ? ok(workspace) : workingFolder(workspace, input.cwd);
    if (cwd.type === 'error') return { reasons, files, failure: cwd.error };
    for (const argv of input.commands) {
      const reason = await commandReason(run, { argv, env, mask, input, context, cwd: cwd.value });
      if (reason.type === 'error') return { reasons, files, failure: reason.error };
      if (reason.value !== undefined) reasons.push(reason.value);
    }
    context.signal.throwIfAborted();
    return {
      reasons: reasons.map((reason) => maskText(reason, mask)),
      files,
      ...(json.type === 'error' || json.value === undefined ? {} : { json: json.value }),
    };
  };
}

function addBounded(reasons: string[], mismatches: readonly string[]): void {
  reasons.push(...mismatches.slice(0, MOST_MISMATCHES));
  const more = mismatches.length - MOST_MISMATCHES;
  if (more > 0) reasons.push(`and ${more} more`);
}

function schemaOf(input: CheckProofInput, context: EffectContext): Result<JsonObject | undefined, Failure> {
  if (input.schemaFile === undefined) return ok(input.jsonSchema);
  const path = resolveInside(context.run.workspace, input.schemaFile);
  if (path.type === 'error') return path;
  const schema = readJson(context, input.schemaFile);
  return isJsonObject(schema)
    ? ok(schema)
    : error({
        type: 'invalid-output',
        reason: 'schema',
        message: `\`${input.schemaFile}\` is not a JSON Schema`,
      });
}

/** The value to check against the schema, or why there is none. */
function subjectOf(
  { subject }: CheckProofInput,
  context: EffectContext,
): Result<JsonValue | undefined, string> {
  if (subject === undefined) return ok(undefined);
  if (subject.type === 'file') {
    const value = readJson(context, subject.path);
    return value === undefined ? error(`\`${subject.path}\` is not JSON`) : ok(value);
  }
  if (subject.isCut === true) {
    return error('the output is too long to keep as text: set `output_file` or `output_capture: json`');
  }
  const value = parse(subject.text);
  return value === undefined ? error('the output is not JSON') : ok(value);
}

async function commandReason(
  run: RunProcess,
  check: {
    readonly argv: readonly string[];
    readonly env: Environment;
    readonly mask: readonly string[];
    readonly input: CheckProofInput;
    readonly context: EffectContext;
    readonly cwd: string;
  },
): Promise<Result<string | undefined, Failure>> {
  const { argv, env, mask, context, cwd } = check;
  const end = await run({
    argv,
    cwd,
    env,
    ...sandboxRequest({ choice: check.input.sandbox, run: context.run, cwd, env }),
    stdin: { type: 'none' },
    stdout: { files: [], headBytes: 0, tailBytes: TAIL_BYTES },
    stderr: { files: [], headBytes: 0, tailBytes: TAIL_BYTES },
    mask,
    ...timeLimit(check.input, context),
    signal: context.signal,
    onStart: (pid, startTime) => context.processStarted(pid, startTime),
  });
  const shown = `\`${quoteWords(argv)}\``;
  if (end.type === 'not-started')
    return end.failure.type === 'no-sandbox' ? error(end.failure) : ok(`${shown} cannot be started`);
  // The run's time is up: nothing is known about the work itself.
  if (end.ended?.type === 'timed-out' && end.ended.afterMs === context.timeLeftMs) return error(end.ended);
  if (end.exitCode === 0) return ok(undefined);
  const said = Buffer.concat([end.stdout.tail, end.stderr.tail]).toString('utf8').trim();
  return ok(`${shown} ended with exit code ${end.exitCode}${said === '' ? '' : `: ${said}`}`);
}

/** Also undefined if there is no such file, or something else in its place, such as a pipe that would block. */
function readJson({ run }: EffectContext, path: string): JsonValue | undefined {
  const bytes = readFileInside(run.workspace, path);
  return bytes.type === 'ok' ? parse(bytes.value.toString('utf8')) : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return plainData(parseJson(text));
  } catch {
    return undefined;
  }
}
