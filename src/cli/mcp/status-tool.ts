import fs from 'node:fs';
import { basename } from 'node:path';
import { parseStatus } from '../../iterate/workspace/status.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText } from '../../store/document.ts';
import { keepAside } from '../../store/keep-aside.ts';
import { withLock } from '../../store/lock.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { openSite, openWorkspace } from '../iterate/site/site.ts';
import { capture, sentence } from './call-command.ts';
import { objectOf, type Tool, text, textIn, texts } from './tool.ts';

const count: JsonObject = { type: 'number', minimum: 0 };

export const STATUS_TOOL: Tool = {
  name: 'status_write',
  description:
    'Say how far the task of an iterate workspace is: its `.status.json`. What is not given stays as it is.',
  input: objectOf(
    {
      workspace: text('the name of the workspace'),
      complete: { type: 'boolean', description: 'nothing is left to do' },
      progress: objectOf({ completed: count, total: count }, ['completed', 'total']),
      worked: { type: 'boolean', description: 'work was done in this iteration' },
      summary: { type: 'string' },
      phase: { type: 'string' },
      blockers: texts('what stands in the way'),
      notes: { type: 'string' },
      nextSteps: texts('what comes next'),
      abort: objectOf({ reason: text('why the task cannot be done') }, ['reason']),
    },
    ['workspace', 'complete'],
  ),
  async run(context, given) {
    const { captured, printed } = capture(context);
    const site = openSite(captured, {});
    const opened = site === undefined ? undefined : openWorkspace(site, textIn(given, 'workspace') ?? '');
    if (opened === undefined) return error(sentence(printed.err));
    const path = opened.paths.status;
    const { workspace: _workspace, ...fields } = given;
    const written = await withLock(`${path}.lock`, {}, () => {
      const before = statusAt(path);
      const kept = before === undefined ? basename(keepAside(path)) : undefined;
      const status = { ...before, ...fields, lastUpdated: new Date().toISOString() };
      replaceFile(path, documentText(status), { mode: 0o644 });
      return { ...status, ...(kept === undefined ? {} : { kept_as: kept }) };
    });
    if (written.type === 'error') return error('the status is being written by somebody else');
    return ok(written.value as unknown as JsonValue);
  },
};

/** Undefined: what stands there cannot be understood. It is kept, and the status written anew. */
function statusAt(path: string): JsonObject | undefined {
  const text = fs.existsSync(path) ? readPlainText(path) : '';
  if (text.trim() === '') return {};
  const status = parseStatus(text);
  return status.type === 'ok' && isJsonObject(status.value) ? (status.value as JsonObject) : undefined;
}
