/** The folder in which the demo runs. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { errnoOf } from '../../store/errno.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { makeOrchestrateFolder } from '../../store/orchestrate-folder.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

/** Copies the example into an empty folder. Default: a new temporary folder. */
export function setDemoStage(
  { workspace }: Site,
  { dir, example }: { readonly dir?: string | undefined; readonly example: string },
): Result<string, Problem> {
  const folder = dir === undefined ? ok(newFolder()) : emptyFolder(workspace, dir);
  if (folder.type === 'error') return folder;
  for (const name of ['team.yaml', 'prompts']) {
    fs.cpSync(path.join(example, name), path.join(folder.value, name), { recursive: true });
  }
  // Otherwise a workspace above it would be used.
  makeOrchestrateFolder(orchestrateFolder(folder.value));
  return folder;
}

function newFolder(): string {
  return fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-demo-')));
}

function emptyFolder(workspace: string, dir: string): Result<string, Problem> {
  const folder = path.resolve(workspace, dir);
  try {
    fs.mkdirSync(folder, { recursive: true });
    if (fs.readdirSync(folder).length === 0) return ok(fs.realpathSync(folder));
  } catch (cause) {
    return error({ type: 'unusable-folder', folder: dir, code: errnoOf(cause) });
  }
  return error({ type: 'folder-not-empty', folder: dir });
}
