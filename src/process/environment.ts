import { crc32 } from '../model/crc32.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { credentialsIn } from './credentials.ts';
import { MARK_VARIABLE } from './marks.ts';

export type Environment = { readonly [name: string]: string };

export interface ChildEnvironmentRequest {
  /** Default: `process.env`. */
  readonly base?: { readonly [name: string]: string | undefined };
  /** The step's own variables: they always reach the child, whatever their names. */
  readonly add?: Environment;
  readonly runId: string;
  readonly runMark: string;
  readonly key: string;
}

/** How an agent's CLI marks that a process runs inside it. A child that sees it refuses to start, or joins the wrong session. */
const SESSION_MARK =
  /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|EXECPATH|[A-Z_]*SESSION[A-Z_]*)|CLAUDE_AGENT_SDK_VERSION|CLAUDE_(SESSION_ID|ENV_FILE|PROJECT_DIR)|GEMINI_CLI|CODEX_(SANDBOX[A-Z_]*|THREAD_ID|SESSION_ID|CI)|CURSOR_(AGENT|TRACE_ID)|OPENCODE)$/;
/** User settings, which are passed on. */
const SETTING = /^CLAUDE_CODE_(DISABLE|ENABLE|USE|SKIP|MAX)_/;

/**
 * The environment of a child: our own without the marks of an agent session around us, the step's variables, and the marks by
 * which the child and all its descendants can be found again.
 */
export function childEnvironment(request: ChildEnvironmentRequest): Environment {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.base ?? process.env)) {
    if (value !== undefined && !isSessionMark(name)) environment[name] = value;
  }
  Object.assign(environment, request.add);
  environment['ORCHESTRATE_RUN_ID'] = request.runId;
  environment['ORCHESTRATE_STEP'] = request.key;
  return addMark(environment, request.runMark);
}

export function isSessionMark(name: string): boolean {
  return SESSION_MARK.test(name) && !SETTING.test(name);
}

/** The same for every owner of a run, so that a later one finds processes that an earlier one left running. */
export function runMark(run: {
  readonly runId: string;
  readonly directory: string;
  /** Marks one call of it. */
  readonly mark?: string;
}): string {
  if (run.mark !== undefined) return run.mark;
  return `${run.runId}:${crc32(run.directory).toString(16)}`;
}

/** Marks accumulate: a run started by a step of another run belongs to both. */
export function addMark(environment: Environment, mark: string): Environment {
  const around = environment[MARK_VARIABLE];
  return { ...environment, [MARK_VARIABLE]: around ? `${around},${mark}` : mark };
}

/**
 * The values to mask. A declared secret that is not set is a failure: the step depends on it and does not start. An empty one is set.
 */
export function secretValues(
  environment: Environment,
  declared: readonly string[],
): Result<readonly string[], Failure> {
  const missing = declared.filter((name) => environment[name] === undefined);
  if (missing.length === 0) return ok(valuesToMask(environment, declared));
  return error({ type: 'undefined-variables', names: missing.map((name) => `env.${name}`) });
}

/** The values of the declared names, and every undeclared credential. */
export function valuesToMask(environment: Environment, declared: readonly string[]): readonly string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(environment)) {
    if (declared.includes(name) && value !== '') values.add(value);
    for (const credential of credentialsIn(name, value)) values.add(credential);
  }
  return [...values];
}
