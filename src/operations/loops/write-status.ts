/** Writes a workspace's `.status.json` for an agent that reports with a tool instead of writing the file. */
import fs from 'node:fs';
import { basename } from 'node:path';
import { parseStatus } from '../../iterate/workspace/status.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText } from '../../store/document.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { withLock } from '../../store/lock.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openLoop } from './site/find-loop.ts';
import type { OfLoop } from './site/loops.ts';

export interface WriteLoopStatus extends OfLoop {
  /** Omitted fields stay as they are. */
  readonly status: JsonObject;
}

export interface LoopStatusWritten {
  readonly status: JsonObject;
  /** New name of the previous file, if it could not be read. */
  readonly keptAs?: string;
}

export async function writeLoopStatus(
  site: Site,
  asked: WriteLoopStatus,
): Promise<Result<LoopStatusWritten, Problem>> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const path = opened.value.workspace.paths.status;
  const written = await withLock(`${path}.lock`, {}, () => {
    const before = statusAt(path);
    const keptAs = before === undefined ? basename(keepAside(path)) : undefined;
    const status = { ...before, ...asked.status, lastUpdated: site.now().toISOString() };
    replaceFile(path, documentText(status), { mode: 0o644 });
    return { status, ...defined({ keptAs }) };
  });
  return written.type === 'ok' ? ok(written.value) : error({ type: 'status-being-written' });
}

/** Undefined: the existing file cannot be read. */
function statusAt(path: string): JsonObject | undefined {
  const text = fs.existsSync(path) ? readPlainText(path) : '';
  if (text.trim() === '') return {};
  const status = parseStatus(text);
  return status.type === 'ok' && isJsonObject(status.value) ? (status.value as JsonObject) : undefined;
}
