import { basename } from 'node:path';
import { sha256 } from '../../model/sha256.ts';

/** How addresses of the page name a workspace: the folder's name and a short digest of its path. */
export function workspaceId(workspace: string): string {
  const name = basename(workspace).replace(/[^A-Za-z0-9_.-]/g, '_');
  return `${name.slice(0, 60)}-${sha256(workspace).slice(0, 6)}`;
}
