/**
 * The only file that knows the paths inside `.orchestrate`. All other code asks here.
 *
 *   .orchestrate/runs/<run_id>/journal.jsonl     truth
 *                              state.json        view
 *                              lock              owner
 *                              moves.jsonl       files moved by steps
 *                              notices.jsonl     notifications that are due or sent
 *                              logs/ prompts/ responses/ answers/ asks/ cassettes/
 *                              worktrees/ merges/ diffs/ program/
 *   .orchestrate/cache/<digest>/                 results of steps with `cache`
 *   .orchestrate/config.yaml                     settings of the workspace
 *   .orchestrate/engine.yaml                     how its runs use several machines
 *   .orchestrate/pulls/<run_id>/                 which files of a run of workers were brought into the working tree
 *   .orchestrate/keeper/journal.jsonl            what was started by a schedule, and what was taken up
 *                       queue.json               runs that wait for their turn
 *                       paused.json              schedules that a person paused
 *                       lock                     the keeper of this workspace
 */
import { join } from 'node:path';
import { ownerOf, parseRunId, type RunId, type StepKey } from '../model/ids.ts';
import { sha256 } from '../model/sha256.ts';
import { ownPath } from './own-path.ts';

export interface RunPaths {
  readonly directory: string;
  readonly journal: string;
  readonly state: string;
  readonly lock: string;
  readonly logs: string;
  readonly prompts: string;
  readonly responses: string;
  /** One document per answered question: written by `approve`, read by the run. */
  readonly answers: string;
  /** One empty file per tool call that a person allowed and that was started. */
  readonly asks: string;
  readonly cassettes: string;
  /** Copies of the files of a workflow in code, by their paths in the workspace. */
  readonly program: string;
  /** The folders of isolated work; `git/worktree.ts` names what is in it. */
  readonly worktrees: string;
  /** One record per merge of isolated work, and per commit. */
  readonly merges: string;
  /** What isolated work changed, one patch each. */
  readonly diffs: string;
  /** The moves that `move-file` plans and has done, so that a repeated step knows. */
  readonly moves: string;
  /** Which notifications are due, and which were sent. */
  readonly notices: string;
  readonly noticesLock: string;
  /** Exists if a cancellation was requested. */
  readonly cancelRequest: string;
  readonly orchestratorLog: string;
  /** Default place of the zip of `--archive-processed`. */
  readonly processedArchive: string;
}

export function orchestrateFolder(workspace: string): string {
  return ownPath(workspace, '.orchestrate');
}

export function runsFolder(workspace: string): string {
  return ownPath(workspace, '.orchestrate/runs');
}

function cacheFolder(workspace: string): string {
  return join(orchestrateFolder(workspace), 'cache');
}

/** The folder of one result; `read-cache` computes the digest. */
export function cacheEntryFolder(workspace: string, digest: string): string {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`malformed digest \`${digest}\``);
  return join(cacheFolder(workspace), digest);
}

export function runPaths(workspace: string, runId: RunId): RunPaths {
  if (parseRunId(runId) === undefined) throw new Error(`malformed run id \`${runId}\``);
  return runPathsIn(join(runsFolder(workspace), runId));
}

/** For the records of `pull`: this machine may have nothing else of the run. */
export function pullsFolder(workspace: string, runId: RunId): string {
  return join(orchestrateFolder(workspace), 'pulls', runId);
}

export interface KeeperPaths {
  readonly folder: string;
  readonly journal: string;
  readonly queue: string;
  readonly paused: string;
  readonly lock: string;
  /** What a queue of loops prints that the keeper continues. */
  readonly loopsLog: string;
  /** Folders of loops that are not the configured one, and had a queue at work. */
  readonly queueFolders: string;
}

export function keeperPaths(workspace: string): KeeperPaths {
  const folder = join(orchestrateFolder(workspace), 'keeper');
  return {
    folder,
    journal: join(folder, 'journal.jsonl'),
    queue: join(folder, 'queue.json'),
    paused: join(folder, 'paused.json'),
    lock: join(folder, 'lock'),
    loopsLog: join(folder, 'loops.log'),
    queueFolders: join(folder, 'queue-folders.json'),
  };
}

/** For callers that already have the run's folder. */
export function runPathsIn(directory: string): RunPaths {
  // A dozen calls of `join` take most of a millisecond in a new process.
  return {
    directory,
    journal: `${directory}/journal.jsonl`,
    state: `${directory}/state.json`,
    lock: `${directory}/lock`,
    logs: `${directory}/logs`,
    prompts: `${directory}/prompts`,
    responses: `${directory}/responses`,
    answers: `${directory}/answers`,
    asks: `${directory}/asks`,
    cassettes: `${directory}/cassettes`,
    program: `${directory}/program`,
    worktrees: `${directory}/worktrees`,
    merges: `${directory}/merges`,
    diffs: `${directory}/diffs`,
    moves: `${directory}/moves.jsonl`,
    notices: `${directory}/notices.jsonl`,
    noticesLock: `${directory}/notices.lock`,
    cancelRequest: `${directory}/cancel.json`,
    orchestratorLog: `${directory}/logs/orchestrator.log`,
    processedArchive: `${directory}/processed.zip`,
  };
}

/**
 * `Loop/0/Compile`, second attempt → `Loop.0.Compile.try2`. Keys contain only characters allowed in file names. A key too long for a
 * file name keeps its start and end, with the digest of the whole in between; what belongs to a step (`Build@expect`) still has the
 * stem of the step.
 */
export function stepFileStem(key: StepKey, attempt: number): string {
  const owner = ownerOf(key);
  const stem = `${shortened(owner.replaceAll('/', '.'))}${key.slice(owner.length)}`;
  return attempt > 1 ? `${stem}.try${attempt}` : stem;
}

/** A name may have 255 bytes, including the call number, a side key, the attempt, an extension and the mark of a temporary file. */
const LONGEST_STEM = 150;
const KEPT_BEGINNING = 64;
const KEPT_END = 64;

function shortened(stem: string): string {
  if (stem.length <= LONGEST_STEM) return stem;
  const digest = sha256(stem).slice(0, 16);
  return `${stem.slice(0, KEPT_BEGINNING)}~${digest}~${stem.slice(-KEPT_END)}`;
}

export function stepLog(
  paths: RunPaths,
  step: { readonly key: StepKey; readonly attempt: number; readonly stream: 'stdout' | 'stderr' },
): string {
  return join(paths.logs, `${stepFileStem(step.key, step.attempt)}.${step.stream}`);
}

export function answerFile(paths: RunPaths, key: StepKey): string {
  return join(paths.answers, `${stepFileStem(key, 1)}.json`);
}

/** The files of one agent call, all in the run's folder. */
export interface AgentCallFiles {
  /** `007-Plan.try2`: the number sorts calls for readers; the rest is already unique. */
  readonly name: string;
  readonly prompt: string;
  readonly response: string;
  /** The agent's own id of the conversation, saved as soon as it is known. */
  readonly conversation: string;
  readonly schema: string;
  /** Disables the agent's own tools, for a CLI that needs a file for that. */
  readonly policy: string;
  readonly mcp: string;
}

export function agentCallFiles(paths: RunPaths, name: string): AgentCallFiles {
  return {
    name,
    prompt: join(paths.prompts, `${name}.txt`),
    response: join(paths.responses, `${name}.json`),
    conversation: join(paths.responses, `${name}.session.json`),
    schema: join(paths.responses, `${name}.schema.json`),
    policy: join(paths.responses, `${name}.policy.toml`),
    mcp: join(paths.responses, `${name}.mcp.json`),
  };
}

/** What a run in the background printed, in `logs`; a number for each time it was started that way. */
export function detachedLogName(number: number): string {
  return number === 1 ? 'detached.log' : `detached.${number}.log`;
}

/** Totals of an agent's conversation that spans several calls. */
export function conversationTotals(paths: RunPaths, sessionId: string): string {
  return join(paths.responses, `conversation-${sessionId}.json`);
}

export function cassetteFile(folder: string, key: StepKey, attempt: number): string {
  return join(folder, `${stepFileStem(key, attempt)}.jsonl`);
}
