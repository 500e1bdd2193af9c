/**
 * `Read`, `Glob` and `Grep` in `pre_analysis`, done by the program inside the project. A path that the project does not have may be one of
 * the session's folder, where the original tool keeps its papers.
 */
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { checkRelativePath } from '../../store/safe-path.ts';
import type { Command } from '../document/command.ts';
import { text } from '../document/fields.ts';
import { renderProse, scopeOf } from '../document/script.ts';
import { WORKFLOW_FOLDER } from '../layout.ts';
import type { Ran } from './run-script.ts';
import type { TaskWork } from './task-state.ts';

/** What goes into the prompt; the agent can read the rest itself. */
const MOST_BYTES = 64 * 1024;

export type GatherCommand = Extract<Command, { readonly type: 'read' | 'glob' | 'grep' }>;

export function gather(work: TaskWork, key: StepKey, command: GatherCommand): Promise<Ran> {
  if (command.type === 'read') return readAll(work, key, command.path);
  return command.type === 'glob' ? glob(work, key, command) : grep(work, key, command);
}

/** A reference to a list means all of them: `Read([focus_paths])`. */
async function readAll(work: TaskWork, key: StepKey, written: string): Promise<Ran> {
  const paths = expand(work, written);
  const found: string[] = [];
  for (const [index, path] of paths.entries()) {
    const one = await readOne(work, index === 0 ? key : sideKey(key, `read-${index + 1}`), path);
    if (one.failure !== undefined)
      return { ran: `Read(${path})`, output: '', exitCode: 1, failure: one.failure };
    found.push(paths.length === 1 ? one.text : `--- ${path}\n${one.text}`);
  }
  return { ran: `Read(${paths.join(', ')})`, output: found.join('\n'), exitCode: 0 };
}

interface ReadOne {
  readonly text: string;
  readonly failure?: Failure;
}

async function readOne(work: TaskWork, key: StepKey, path: string): Promise<ReadOne> {
  const { durable, call } = work;
  const places = [inProject(work, path), `${call.folder}/${path}`];
  for (const [index, place] of places.entries()) {
    const { output } = await durable.step(index === 0 ? key : sideKey(key, 'session'), 'read-file', {
      path: place,
      maxBytes: MOST_BYTES,
    });
    if (output.failure !== undefined) return { text: '', failure: output.failure };
    if (output.text !== undefined)
      return { text: `${output.text.trimEnd()}${output.truncated === true ? '\n[only the start]' : ''}` };
  }
  return { text: '', failure: { type: 'file', operation: 'read', path, code: 'ENOENT' } };
}

async function glob(
  work: TaskWork,
  key: StepKey,
  command: Extract<Command, { readonly type: 'glob' }>,
): Promise<Ran> {
  const inside = command.path === undefined ? '' : `${rendered(work, command.path).replace(/\/$/, '')}/`;
  const pattern = `${inside}${rendered(work, command.pattern)}`;
  const prefix = inProject(work, '');
  const { output } = await work.durable.step(key, 'find-files', { patterns: [`${prefix}${pattern}`] });
  const files = (output.matches[0] ?? []).map((file) => file.slice(prefix.length));
  return {
    ran: `Glob(${pattern})`,
    output: cut(files.join('\n')),
    exitCode: output.failure === undefined ? 0 : 1,
    ...defined({ failure: output.failure }),
  };
}

async function grep(
  work: TaskWork,
  key: StepKey,
  command: Extract<Command, { readonly type: 'grep' }>,
): Promise<Ran> {
  const pattern = rendered(work, command.pattern);
  const paths = command.path === undefined ? ['.'] : expand(work, command.path);
  const ran = `Grep(${pattern}${command.path === undefined ? '' : `, ${paths.join(' ')}`})`;
  for (const path of paths) {
    const checked = path === '.' ? undefined : checkRelativePath(path);
    if (checked?.type === 'error') return { ran, output: '', exitCode: 2, failure: checked.error };
  }
  const argv = ['grep', '-rnIE', ...SKIPPED, '-e', pattern, '--', ...paths];
  const { output } = await work.durable.step(key, 'run-command', {
    argv,
    capture: 'text',
    successCodes: [0, NO_MATCH],
    ...defined({ cwd: work.cwd }),
  });
  return {
    ran,
    output: cut((output.output ?? '').trimEnd()),
    exitCode: output.exitCode === NO_MATCH ? 0 : output.exitCode,
    ...defined({ failure: output.failure }),
  };
}

const NO_MATCH = 1;
const SKIPPED = ['.git', 'node_modules', '.orchestrate', WORKFLOW_FOLDER].map(
  (name) => `--exclude-dir=${name}`,
);

function cut(found: string): string {
  return found.length <= MOST_BYTES ? found : `${found.slice(0, MOST_BYTES)}\n[only the start]`;
}

/** The task's own checkout, if it has one; its papers are always those of the workspace. */
function inProject(work: TaskWork, path: string): string {
  const isOwn = work.cwd !== undefined && !path.startsWith(`${WORKFLOW_FOLDER}/`);
  return isOwn ? `${work.cwd}/${path}` : path;
}

function expand(work: TaskWork, written: string): readonly string[] {
  const [, name] = /^\[([A-Za-z_][\w.-]*)\]$/.exec(written) ?? [];
  const value = name === undefined ? undefined : scopeOf(work.task, work.outputs)(name.split('.'));
  return Array.isArray(value) ? value.map((each) => jsonText(each)) : [rendered(work, written)];
}

/** `{{name}}` is a text of the task's document. */
function rendered(work: TaskWork, written: string): string {
  const named = written.replace(
    /\{\{(\w{1,100})\}\}/g,
    (whole, name: string) => text(work.task.source[name]) || whole,
  );
  return renderProse(named, work.task, work.outputs).replace(/^\.\//, '');
}
