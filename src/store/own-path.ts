/**
 * Where the program's own folders are (`.orchestrate`, `.claude/state`, `.workflow`, …). Their files are opened by real paths only
 * (F1 of plain-file.ts), so the folder is resolved here first: links inside the workspace are followed. A link that leads outside is
 * not: the path stays as it is, and opening anything below it is refused.
 */
import fs from 'node:fs';
import { isInside } from './relative-path.ts';

/** `relative` has no `..`. */
export function ownPath(workspace: string, relative: string): string {
  return below(realPath(workspace), relative);
}

/** Resolves links as far as the path exists: for paths given by the user, which may be anywhere. */
export function realPath(path: string): string {
  const real = realIfThere(path);
  if (real !== undefined) return real;
  const cut = path.lastIndexOf('/');
  return cut <= 0 ? path : `${realPath(path.slice(0, cut))}${path.slice(cut)}`;
}

function below(root: string, relative: string): string {
  if (relative === '.') return root;
  const named = `${root}/${relative}`;
  const real = realIfThere(named);
  if (real !== undefined) return isInside(root, real) ? real : named;
  const cut = relative.lastIndexOf('/');
  return `${below(root, cut === -1 ? '.' : relative.slice(0, cut))}/${relative.slice(cut + 1)}`;
}

/** Undefined if it cannot be determined: opening it reports why. */
function realIfThere(path: string): string | undefined {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return undefined;
  }
}
