import fs from 'node:fs';
import { join } from 'node:path';
import { closeFile } from '../../model/close-file.ts';
import { nearest } from '../../model/suggest.ts';
import { openInside } from '../../store/safe-path.ts';
import { parseVariables } from '../../template/parse-variables.ts';
import { type Reference, referencesOf } from '../../template/template.ts';
import type { StepSource } from '../schema/step.ts';
import type { Report } from './report.ts';
import { NAMESPACES } from './rules/references.ts';
import { called } from './rules/rule.ts';
import { loopItems, type StepPlace } from './step-index.ts';
import type { WorkflowFile } from './workflow-file.ts';

interface Looked {
  readonly file: WorkflowFile;
  readonly report: Report;
  readonly place: StepPlace;
}

/** The file must exist, unless another step mentions it: then it is created during the run. */
export function checkPromptFile(looked: Looked, workspace: string): void {
  const { file, report, place } = looked;
  const { step } = place;
  const prompt = step.input_file;
  if (prompt === undefined || prompt === '' || prompt.includes('$')) return;
  if (fs.existsSync(join(workspace, prompt))) checkContents(looked, workspace, prompt);
  else if (!isMadeOnTheWay(file, step, prompt)) {
    report.warning('environment/no-prompt', file.places.valueRange(step, 'input_file'), {
      message: `prompt file \`${prompt}\` of ${called(step)} not found, and no other step mentions it`,
      help: nearFile(workspace, prompt),
    });
  }
}

/** A prompt file is sent as written. Shell or JavaScript in it may contain `${…}` too, so only names of this workflow count. */
function checkContents({ file, report, place }: Looked, workspace: string, prompt: string): void {
  const { step } = place;
  const items = loopItems(place.scope);
  const isOurs = ({ path: [root = '', ...rest] }: Reference): boolean =>
    (NAMESPACES.includes(root) && rest.length > 0) ||
    items.includes(root) ||
    (root === 'item' && items.length > 0) ||
    Object.hasOwn(file.source.context ?? {}, root);
  const found = referencesOf(parseVariables(startOf(workspace, prompt)).template).find(isOurs);
  if (found === undefined) return;
  report.warning('environment/variable-in-prompt-file', file.places.valueRange(step, 'input_file'), {
    message: `prompt file \`${prompt}\` of ${called(step)} contains \`\${${found.text}}\`, but files are sent as written`,
    help: 'to substitute variables, write the text under `prompt` instead of `input_file`',
  });
}

const READ_BYTES = 1024 * 1024;

/** Empty if it cannot be read: the step reports why. */
function startOf(workspace: string, path: string): string {
  const opened = openInside(workspace, path, { to: 'read' });
  if (opened.type === 'error') return '';
  const { fd } = opened.value;
  try {
    const bytes = Buffer.alloc(Math.min(READ_BYTES, fs.fstatSync(fd).size));
    return bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return '';
  } finally {
    closeFile(fd);
  }
}

function isMadeOnTheWay({ index }: WorkflowFile, step: StepSource, prompt: string): boolean {
  const name = prompt.slice(prompt.lastIndexOf('/') + 1);
  return index.places.some(({ step: other }) => {
    if (other === step) return false;
    const written = [other.output_file ?? '', ...(other.expect?.files ?? [])];
    const words = [...(other.command ?? []), other.script ?? '', ...(other.command_override ?? [])];
    return (
      written.some((text) => text.includes('$') || text.includes(name)) ||
      words.some((text) => text.includes(name))
    );
  });
}

function nearFile(workspace: string, prompt: string): string | undefined {
  const slash = prompt.lastIndexOf('/');
  const folder = slash === -1 ? '' : prompt.slice(0, slash + 1);
  let names: readonly string[] = [];
  try {
    names = fs.readdirSync(join(workspace, folder));
  } catch {
    return undefined;
  }
  const meant = nearest(prompt.slice(slash + 1), names);
  return meant === undefined ? undefined : `did you mean \`${folder}${meant}\`?`;
}
