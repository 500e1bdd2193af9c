/** Files outside a workspace that look like part of it, so that every way out would be used. */
import fs from 'node:fs';
import path from 'node:path';
import { must, mustEqual, shortened } from '../must.ts';
import { createSite, differences, type Site, snapshotOf } from '../site/site.ts';
import type { Trial } from '../suite.ts';

export interface Fenced {
  readonly site: Site;
  /** Absolute path. */
  readonly outside: string;
  /** `../x`, seen from the workspace. */
  readonly way: string;
  /** Nothing there was read, changed or added. */
  mustBeUntouched(what: string): void;
}

/** In every file outside: output that contains it has read one. */
export const SENTINEL = 'sentinel-of-the-outside';

export function createFenced(trial: Trial, env: Readonly<Record<string, string>> = {}): Fenced {
  const site = createSite(trial, env);
  const outside = trial.folder();
  const put = (name: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(outside, name)), { recursive: true });
    fs.writeFileSync(path.join(outside, name), text);
  };
  put('secret.txt', `${SENTINEL}\n`);
  put('secret.md', `${SENTINEL}\n`);
  put('secret.task', `${SENTINEL}\n`);
  put('journal.jsonl', `${SENTINEL}\n`);
  put('state.json', JSON.stringify({ title: SENTINEL, status: 'running' }));
  put('workflow-session.json', JSON.stringify({ session_id: 'WFS-x', project: SENTINEL, status: 'active' }));
  put('.task/IMPL-1.json', JSON.stringify({ id: 'IMPL-1', title: SENTINEL, status: 'pending' }));
  put('.metadata.json', JSON.stringify({ name: 'x', status: 'in_progress' }));
  put('INSTRUCTIONS.md', `${SENTINEL}\n`);
  put(
    'state/one.json',
    JSON.stringify({ session_id: 'one', status: 'completed', metadata: { task: SENTINEL } }),
  );
  put('template.json', JSON.stringify({ name: SENTINEL }));
  const before = snapshotOf(outside);
  return {
    site,
    outside,
    way: path.relative(site.folder, outside),
    mustBeUntouched(what) {
      mustEqual(differences(before, snapshotOf(outside)), [], `changes outside the workspace after ${what}`);
    },
  };
}

/** Not in any file of the workspace except those named. */
export function mustNotHold(site: Site, text: string, except: readonly string[] = []): void {
  for (const name of filesIn(site.folder)) {
    const place = site.path(name);
    if (except.includes(name)) continue;
    must(!fs.readFileSync(place).includes(text) && !name.includes(text), () => ({
      expected: `\`${shortened(text, 60)}\` in no file`,
      found: shortened(around(fs.readFileSync(place, 'latin1'), text), 400),
      where: name,
    }));
  }
}

/** Links are not followed. */
export function filesIn(folder: string, below = ''): readonly string[] {
  return fs.readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) return filesIn(folder, name);
    return entry.isFile() ? [name] : [];
  });
}

function around(content: string, text: string): string {
  const at = content.indexOf(text);
  return at < 0 ? content.slice(0, 100) : content.slice(Math.max(0, at - 120), at + 200);
}
