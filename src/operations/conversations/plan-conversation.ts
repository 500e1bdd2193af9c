/** Loads the settings of a conversation, checks that they are trusted, and plans its run. */
import { claimsOf } from '../../converse/config/claims.ts';
import { type ConverseConfig, loadConfig } from '../../converse/config/load-config.ts';
import { CONVERSE_PROGRAM, type ConverseInput } from '../../converse/input.ts';
import { CONVERSATION_FOLDERS } from '../../converse/layout.ts';
import type { Conversation } from '../../converse/sessions.ts';
import { advice, command } from '../../model/advice.ts';
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { escapeGlob } from '../../store/glob-pattern.ts';
import { portablePath } from '../../store/portable-path.ts';
import type { InvalidFile, NotTrusted } from '../problem.ts';
import type { RunHold } from '../run-hold.ts';
import type { Beginning, RunDocuments, RunPlan } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { mayRun } from '../trust/may-run.ts';
import { conversationAgentClaims } from './agent-trust.ts';
import { dryScript } from './dry-script.ts';
import type { ConversationFolder } from './folder.ts';

const LONGEST_TITLE = 80;

export function loadSettings(
  { folder, shown }: ConversationFolder,
  { agent }: { readonly agent?: string },
): Result<ConverseConfig, InvalidFile> {
  const loaded = loadConfig({ folder, shown, ...defined({ agent }) });
  if (loaded.type === 'ok') return loaded;
  const diagnostics = loaded.error;
  const isMissing = diagnostics.some((one) => one.code === 'workflow/cannot-read');
  const help = advice`create the files of a workspace with ${command(`converse init ${shown}`)}`;
  return error({ type: 'invalid-file', diagnostics, ...(isMissing ? { help } : {}) });
}

export interface ConverseOptions {
  readonly maxIterations?: number;
  /** Use the mock agent; tools that change anything only say what they would do. */
  readonly isDryRun?: boolean;
}

/** A dry run starts nothing. */
export function mayConverse(
  site: Site,
  { folder, config }: { readonly folder: string; readonly config: ConverseConfig },
  { isDryRun }: ConverseOptions,
): Result<void, NotTrusted> {
  if (isDryRun === true) return ok(undefined);
  const { agent, root } = config;
  const claims = [
    ...claimsOf(config, folder),
    ...conversationAgentClaims(site, { folder, root, agent: { choice: agent.choice } }),
  ];
  return mayRun(site, folder, claims);
}

export function inputFor(
  { sessionId, folder, base }: Conversation,
  { config, task, workspace }: ConversationBasis,
  { maxIterations, isDryRun }: ConverseOptions,
): ConverseInput {
  const { task: _, ...settings } = config;
  return {
    ...settings,
    ...{ sessionId, task },
    ...placesIn(workspace, { folder, base, root: config.root }),
    maxIterations: maxIterations ?? config.maxIterations,
    ...(isDryRun === true ? { agent: dryAgent(config), dryRun: true } : {}),
  };
}

interface ConversationBasis {
  readonly config: ConverseConfig;
  readonly task: string;
  /** The workspace of the run. */
  readonly workspace: string;
}

type Places = Pick<ConverseInput, 'folder' | 'base' | 'root'>;

/** Absolute paths as a run has them in its data. */
export function placesIn(workspace: string, { folder, base, root }: Places): Places {
  return {
    folder: portablePath(workspace, folder),
    base: portablePath(workspace, base),
    root: portablePath(workspace, root),
  };
}

/** A mock agent with a script follows it. */
function dryAgent({ agent, tools }: ConverseConfig): ConverseInput['agent'] {
  const isMock = agent.choice.type === 'builtin' && agent.choice.adapter === 'mock';
  if (isMock && agent.choice.type === 'builtin' && agent.choice.script !== undefined) return agent;
  return { name: 'mock', choice: { type: 'builtin', adapter: 'mock', script: dryScript(tools) } };
}

export function planNew(input: ConverseInput, run: PlannedRun): RunPlan {
  return planOf(input, run, { type: 'new', program: CONVERSE_PROGRAM, ...definitionOf(input) });
}

/** `isChanged`: the input differs from the one the run was started with. */
export function planResumed(
  input: ConverseInput,
  run: PlannedRun,
  { isChanged }: { readonly isChanged: boolean },
): RunPlan {
  return planOf(input, run, { type: 'resume', ...(isChanged ? { change: definitionOf(input) } : {}) });
}

export interface PlannedRun {
  readonly runId: RunId;
  /** The workspace whose `.orchestrate` contains the run. */
  readonly workspace: string;
  readonly hold: RunHold;
}

function planOf(input: ConverseInput, { runId, workspace, hold }: PlannedRun, begin: Beginning): RunPlan {
  const documents = documentsOf(input);
  return {
    ...{ runId, workspace, kind: 'converse', title: titleOf(input.task), begin, secrets: [] },
    ...{ hold, documents },
  };
}

/** The locks are those of processes. */
function documentsOf({ folder }: ConverseInput): RunDocuments {
  const inside = folder === '.' ? '' : `${escapeGlob(folder)}/`;
  const own = [...CONVERSATION_FOLDERS, 'config', 'templates', 'sessions'];
  return {
    folder,
    files: own.map((name) => `${inside}${name}/**`),
    except: ['state', 'sessions/*/state'].map((place) => `${inside}${place}/*.lock*`),
  };
}

function definitionOf(input: ConverseInput): { readonly input: JsonValue; readonly facts: JsonObject } {
  const { sessionId, folder, task } = input;
  return {
    input: input as unknown as JsonValue,
    facts: { session_id: sessionId, conversation_folder: folder, task },
  };
}

/** The first line of the task. */
function titleOf(task: string): string {
  const characters = [...(task.trim().split('\n', 1)[0] ?? '')];
  return characters.length <= LONGEST_TITLE
    ? characters.join('')
    : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`;
}
