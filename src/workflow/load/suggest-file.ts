import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '../../model/suggest.ts';

const SHOWN = 5;
const WORKFLOW = /\.ya?ml$/;

/** Suggests a workflow for a name that does not exist or is a folder. `wanted`: what the names of workflows of its kind end with. */
export function suggestFile(workspace: string, path: string, wanted = WORKFLOW): string | undefined {
  const absolute = resolve(workspace, path);
  const isFolder = fs.statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true;
  // It is the one that was meant, and its error says why it cannot be read.
  if (!isFolder && fs.lstatSync(absolute, { throwIfNoEntry: false }) !== undefined) return undefined;
  const folder = isFolder ? path : dirname(path);
  const names = workflowsIn(isFolder ? absolute : dirname(absolute), wanted);
  if (names.length === 0) return undefined;
  const meant = isFolder ? undefined : nearestFile(basename(path), names, wanted);
  if (meant !== undefined) return `did you mean \`${join(folder, meant)}\`?`;
  const shown = names.slice(0, SHOWN).map((name) => `\`${join(folder, name)}\``);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `workflows there: ${shown.join(', ')}${more}`;
}

/** Also finds a file whose extension was omitted. */
function nearestFile(name: string, names: readonly string[], wanted: RegExp): string | undefined {
  const stem = (each: string): string => each.replace(wanted, '');
  const near = nearest(stem(name), names.map(stem));
  return names.find((each) => stem(each) === near);
}

function workflowsIn(folder: string, wanted: RegExp): readonly string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => wanted.test(name))
      .sort();
  } catch {
    // Without a listing there is no suggestion; the error itself is already reported.
    return [];
  }
}
