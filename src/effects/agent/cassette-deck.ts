/** Records agent calls as files and replays them. */
import {
  type Cassette,
  type CassetteAnswers,
  type CassetteFile,
  parseCassette,
  renderCassette,
} from '../../agents/cassette.ts';
import type { AgentExit } from '../../agents/classify.ts';
import { unifiedDiff } from '../../agents/unified-diff.ts';
import type { EffectContext } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { holdsSecret, maskText } from '../../process/mask.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { cassetteFile } from '../../store/layout.ts';
import { makeOneFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { Changes } from './workspace-changes.ts';
import { removeInside, writeInside } from './write-inside.ts';

/** The folder is relative to the workspace; absolute only outside it. */
export type CassetteUse =
  | { readonly type: 'record'; readonly folder: string }
  /** `loose`: replays even if the prompt has changed. */
  | { readonly type: 'replay'; readonly folder: string; readonly loose: boolean };

interface Wanted {
  readonly agent: string;
  readonly prompt: string;
}

/** Replays a recording and restores the files it left behind. */
export function playCassette(
  use: Extract<CassetteUse, { type: 'replay' }>,
  call: Wanted,
  context: EffectContext,
): Result<Cassette, Failure> {
  const loaded = loadCassette(use, call, context);
  if (loaded.type === 'error') return loaded;
  for (const file of loaded.value.files) {
    const failure = putBack(context.run.workspace, file);
    if (failure !== undefined) return error(failure);
  }
  return loaded;
}

function loadCassette(
  use: Extract<CassetteUse, { type: 'replay' }>,
  call: Wanted,
  context: EffectContext,
): Result<Cassette, Failure> {
  const path = cassetteFile(realPath(use.folder), context.key, context.attempt);
  const step = `step \`${context.key}\`${context.attempt > 1 ? `, attempt ${context.attempt}` : ''}`;
  let text: string;
  try {
    text = readPlainText(path);
  } catch {
    return mismatch(`no recording for ${step}: \`${path}\` not found`);
  }
  const parsed = parseCassette(text, context.run);
  if (parsed.type === 'error') return mismatch(`the recording \`${path}\` cannot be read: ${parsed.error}`);
  const cassette = parsed.value;
  if (use.loose) return ok(cassette);
  if (cassette.agent !== call.agent) {
    return mismatch(`${step} was recorded with agent \`${cassette.agent}\` and now has \`${call.agent}\``);
  }
  if (cassette.prompt !== call.prompt) {
    const diff = unifiedDiff(cassette.prompt, call.prompt, {
      before: 'recorded prompt',
      after: 'prompt of this run',
    });
    return mismatch(
      `the prompt of ${step} differs from the recorded one; record it again or replay loosely:\n${diff}`,
    );
  }
  return ok(cassette);
}

/** The answers with which the next attempt was recorded, if there is one. */
export function recordedAnswers(folder: string, context: EffectContext): CassetteAnswers | undefined {
  const path = cassetteFile(realPath(folder), context.key, context.attempt + 1);
  try {
    const parsed = parseCassette(readPlainText(path), context.run);
    return parsed.type === 'ok' ? parsed.value.answers : undefined;
  } catch {
    return undefined;
  }
}

export interface Made {
  readonly agent: string;
  readonly argv: readonly string[];
  readonly prompt: string;
  readonly mask: readonly string[];
  readonly exit: AgentExit;
  readonly stdout: Buffer;
  readonly changes: Changes;
  readonly answers?: CassetteAnswers;
}

export function saveCassette(folder: string, context: EffectContext, made: Made): void {
  const { exitCode, signal, ended, stderrTail } = made.exit;
  const { files, leftOut } = made.changes;
  const say = (path: string, why: string): void =>
    context.emit({ type: 'message', text: `\`${path}\` ${why}; a replay will not restore it` });
  for (const path of leftOut) say(path, 'is too large to be recorded');
  const recorded = files.flatMap((file): readonly CassetteFile[] => {
    if ('base64' in file && holdsSecret(Buffer.from(file.base64, 'base64'), made.mask)) {
      say(file.path, 'is a binary file that contains a secret, so it is not recorded');
      return [];
    }
    const isText = 'text' in file && file.text !== null;
    return [isText ? { ...file, text: maskText(file.text, made.mask) } : file];
  });
  const cassette: Cassette = {
    ...{ step: context.key, attempt: context.attempt },
    ...{ agent: made.agent, argv: made.argv, prompt: made.prompt },
    stdout: made.stdout.toString(),
    stderr: stderrTail,
    files: recorded,
    exit: { exitCode, ...defined({ signal, ended }) },
    ...defined({ answers: made.answers }),
  };
  const own = realPath(folder);
  makeOneFolder(own, 0o700);
  replaceFile(cassetteFile(own, context.key, context.attempt), renderCassette(cassette, context.run));
}

function mismatch(message: string): { readonly type: 'error'; readonly error: Failure } {
  return error({ type: 'replay-mismatch', message });
}

function putBack(workspace: string, file: CassetteFile): Failure | undefined {
  if ('base64' in file) return writeInside(workspace, file.path, Buffer.from(file.base64, 'base64'));
  return file.text === null
    ? removeInside(workspace, file.path)
    : writeInside(workspace, file.path, file.text);
}
