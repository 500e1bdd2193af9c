/** Files of the workspace: documents, journals, workflows, roles, settings. */

import { splitWords } from '../../../src/iterate/config/split-words.ts';
import { parseStatus, withoutTime } from '../../../src/iterate/workspace/status.ts';
import type { Diagnostic } from '../../../src/model/diagnostic.ts';
import { type JsonValue, parseJsonObject } from '../../../src/model/json.ts';
import { ok } from '../../../src/model/result.ts';
import { readStatus } from '../../../src/operations/statuses/read-status.ts';
import { parseRole } from '../../../src/phases/run/role.ts';
import { readJsonTree } from '../../../src/phases/settings/json-tree.ts';
import { isTaskName, QUEUE_DEFAULTS } from '../../../src/queue/queue.ts';
import { sortsByTime } from '../../../src/queue/task-name.ts';
import { renderDiagnostics } from '../../../src/report/render-diagnostic.ts';
import { checkTasks } from '../../../src/session/check/check-tasks.ts';
import { diagnosticOf } from '../../../src/session/check/finding.ts';
import { pathsOf } from '../../../src/session/document/focus.ts';
import { whyNotConcrete } from '../../../src/session/document/paths.ts';
import { topicSlug } from '../../../src/session/ids.ts';
import { prepareTasks } from '../../../src/session/plan/prepare-tasks.ts';
import { loadDocument } from '../../../src/store/document.ts';
import { readJournal } from '../../../src/store/journal-file.ts';
import { locateJsonError } from '../../../src/store/locate-json-error.ts';
import { loadWorkflow } from '../../../src/workflow/load/load-workflow.ts';
import { many, type Reader, reader, written } from '../reader.ts';

const HEADER = '{"format":"orchestrate-journal","version":1,"crc":"';
const SEQ = '{"seq":';

/** The YAML parser takes microseconds per character. */
const YAML_CHARACTERS = 16 * 1024;

const shown = (diagnostics: readonly Diagnostic[]): string => renderDiagnostics(diagnostics, { color: true });

function workflow(text: string, folder: string): unknown {
  written(folder, 'w.yaml', text);
  const loaded = loadWorkflow(folder, 'w.yaml');
  return loaded.type === 'error' ? shown(loaded.error) : loaded;
}

const step = (text: string): JsonValue => ({
  ...{ name: 'A', command: ['echo', text], output_file: text },
  when: { equals: { left: text, right: text } },
});

const task = (text: string): { readonly [key: string]: JsonValue } => ({
  ...{ title: text, status: 'pending', meta: { type: text, agent: text } },
  context: { requirements: [text], focus_paths: [text], acceptance: [text], depends_on: [text] },
  flow_control: {
    target_files: [text],
    pre_analysis: [{ step: text, action: text, command: text, output_to: text }],
  },
});

function plan(tasks: readonly JsonValue[]): string {
  const given = { tasks };
  const file = { path: 'plan.json', text: JSON.stringify(given) };
  return shown(prepareTasks({ given, file, existing: [] }).findings.map(diagnosticOf));
}

export const DOCUMENTS: readonly Reader[] = [
  reader('document', (text, folder) => [
    loadDocument(written(folder, 'd.json', text), ok),
    loadDocument(written(folder, 'd.json', `{"a":${text}`), ok),
    locateJsonError(`["${text}`),
    parseJsonObject(text),
  ]),
  reader('journal', (text, folder) => [
    readJournal(written(folder, 'journal.jsonl', text)),
    readJournal(written(folder, 'journal.jsonl', HEADER + text)),
    readJournal(written(folder, 'journal.jsonl', SEQ.repeat(text.length / SEQ.length) + text)),
  ]),
  reader(
    'status-file',
    (text, folder) => [
      ...[text, JSON.stringify({ complete: true, summary: text })].flatMap((each) => [
        parseStatus(each),
        withoutTime(each),
      ]),
      ...[text, JSON.stringify({ schema: text })].map((each) =>
        readStatus({ workspace: folder }, { file: written(folder, 's.json', each) }),
      ),
    ],
    YAML_CHARACTERS,
  ),
  reader('workflow-file', workflow, YAML_CHARACTERS),
  reader(
    'workflow-value',
    (text, folder) => workflow(JSON.stringify({ name: 'x', steps: [step(text)] }), folder),
    YAML_CHARACTERS,
  ),
  reader(
    'workflow-steps',
    (text, folder) => workflow(JSON.stringify({ name: 'x', steps: many(text, 100, step) }), folder),
    YAML_CHARACTERS,
  ),
  reader(
    'workflow-key',
    (text, folder) => workflow(`name: x\nsteps:\n  - name: A\n    command: [echo]\n    ${text}: 1\n`, folder),
    YAML_CHARACTERS,
  ),
  reader('role-file', (text) => [
    parseRole(text),
    parseRole(`---\n${text}`),
    parseRole(`---\nmodel: ${text}\n---\n`),
  ]),
  reader('settings-file', (text) => readJsonTree(JSON.stringify({ [text]: [text, { text }] }))),
  reader('task-plan', (text) => plan(many(text, 200, task))),
  reader('task-file', (text) => [
    plan([task(text)]),
    shown(
      checkTasks([{ file: { path: 'IMPL-1.json', text }, name: 'IMPL-1.json', named: undefined }]).map(
        diagnosticOf,
      ),
    ),
  ]),
  reader('task-words', (text) => [
    topicSlug(text),
    whyNotConcrete(text),
    pathsOf({ focusPaths: [text], targetFiles: [text] }),
  ]),
  reader('command-words', (text) => [splitWords(text), splitWords(`"${text}`), splitWords(`'${text}`)]),
  reader('queue-name', (text) => [
    isTaskName({ workspace: '/', ...QUEUE_DEFAULTS }, `${text}.task`),
    sortsByTime(text),
  ]),
];
