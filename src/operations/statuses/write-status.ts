import fs from 'node:fs';
import { basename } from 'node:path';
import { defined } from '../../model/defined.ts';
import { isSafeName } from '../../model/ids.ts';
import { type JsonValue, parseJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText } from '../../store/document.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { atPlace } from '../../store/pin-inside.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { parseStatus, pathText, STATUS_SCHEMA } from './status-document.ts';

export interface WriteStatus {
  /** Agent the status is about. */
  readonly agent: string;
  /** Default: the current step. */
  readonly step?: string | undefined;
  readonly success: boolean;
  /** Default: 0 or 1, depending on `success`. */
  readonly exitCode?: number | undefined;
  readonly outputs?: readonly string[] | undefined;
  readonly metrics?: { readonly [name: string]: number | boolean | string } | undefined;
  /** Agents that continue, each with the file to work on. */
  readonly next?: readonly { readonly agent: string; readonly file: string }[] | undefined;
  readonly message?: string | undefined;
  /** Default: the current run. */
  readonly run?: string | undefined;
  readonly correlationId?: string | undefined;
  /** Default: `artifacts/<agent>/status.json`. */
  readonly file?: string | undefined;
}

export interface StatusWritten {
  readonly file: string;
  /** New name of a file that was in its place but was not a status. */
  readonly keptAs?: string;
}

/** Writes the status atomically. */
export function writeStatus(site: Site, asked: WriteStatus): Result<StatusWritten, Problem> {
  const { agent } = asked;
  if (!isSafeName(agent)) return error({ type: 'invalid-agent-name', agent });
  const step = asked.step ?? site.environment['ORCHESTRATE_STEP'];
  if (step === undefined) return error({ type: 'no-step-named' });
  const status = documentOf(site, { ...asked, step });
  const checked = parseStatus(status, site.workspace);
  if (checked.type === 'error') {
    const faults = checked.error.map(({ path, message }) => ({ path: pathText(path), message }));
    return error({ type: 'invalid-status', faults });
  }
  return save(site, asked.file ?? `artifacts/${agent}/status.json`, status);
}

function documentOf(site: Site, asked: WriteStatus & { readonly step: string }): JsonValue {
  const { agent, step, success, exitCode, outputs, metrics, next, message, correlationId } = asked;
  const runId = asked.run ?? site.environment['ORCHESTRATE_RUN_ID'];
  return {
    schema: STATUS_SCHEMA,
    ...defined({ correlation_id: correlationId }),
    agent,
    ...defined({ run_id: runId }),
    step,
    timestamp: site.now().toISOString(),
    success,
    exit_code: exitCode ?? (success ? 0 : 1),
    outputs: outputs ?? [],
    metrics: metrics ?? {},
    next_actions: (next ?? []).map(({ agent: who, file }) => ({ agent: who, file })),
    ...defined({ message }),
  };
}

function save(
  { workspace }: Pick<Site, 'workspace'>,
  file: string,
  status: JsonValue,
): Result<StatusWritten, Problem> {
  const written = atPlace(workspace, file, {
    ...{ operation: 'write', makeFolders: true },
    use: (path) => {
      const kept = isForeign(path) ? basename(keepAside(path)) : undefined;
      replaceFile(path, documentText(status), { mode: 0o644 });
      return kept;
    },
  });
  if (written.type === 'ok') return ok({ file, ...defined({ keptAs: written.value }) });
  return error({ type: written.error.type === 'file' ? 'failure' : 'invalid-place', failure: written.error });
}

/** The file in its place is not a status. */
function isForeign(path: string): boolean {
  if (!fs.existsSync(path)) return false;
  const text = readPlainText(path);
  return text !== '' && parseJsonObject(text)?.['schema'] !== STATUS_SCHEMA;
}
