import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '../../model/suggest.ts';

const SHOWN = 5;
const WORKFLOW = /\.ya?ml$/;

/** Which workflow a person may have meant who named a file that is not there, or a folder. */
export function suggestFile(workspace: string, path: string): string | undefined {
  const absolute = resolve(workspace, path);
  const isFolder = fs.statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? path : dirname(path);
  const names = workflowsIn(isFolder ? absolute : dirname(absolute));
  if (names.length === 0) return undefined;
  const meant = isFolder ? undefined : nearestFile(basename(path), names);
  if (meant !== undefined) return `did you mean \`${join(folder, meant)}\`?`;
  const shown = names.slice(0, SHOWN).map((name) => `\`${join(folder, name)}\``);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `there is ${shown.join(', ')}${more}`;
}

/** Also where only the ending was left out. */
function nearestFile(name: string, names: readonly string[]): string | undefined {
  const stem = (each: string): string => each.replace(WORKFLOW, '');
  const near = nearest(stem(name), names.map(stem));
  return names.find((each) => stem(each) === near);
}

function workflowsIn(folder: string): readonly string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => WORKFLOW.test(name))
      .sort();
  } catch {
    // Where nothing can be listed, nothing is suggested; what is wrong has been said.
    return [];
  }
}
