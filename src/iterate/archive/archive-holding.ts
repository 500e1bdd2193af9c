import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import { createSha256 } from '../../model/sha256.ts';
import { ArchiveError, readArchive } from '../../store/archive/read-archive.ts';
import { digestOfPath } from '../../store/digest.ts';
import { isTemporary } from '../../store/temporary-name.ts';

/** Whether an archive contains exactly the files and links of a folder in its current state; if so, only the removal is missing. */
export async function holdsFolder(
  archive: string,
  folder: string,
  except: readonly string[],
): Promise<boolean> {
  const missing = contentsOf(folder, except);
  let hasMore = false;
  try {
    await readArchive(archive, async ({ path, type, target }, content) => {
      const hash = createSha256();
      for await (const chunk of content) hash.update(chunk);
      if (type === 'folder' || except.includes(path)) return;
      const held = type === 'link' ? `link ${target}` : hash.digest('hex');
      if (missing.get(path) === held) missing.delete(path);
      else hasMore = true;
    });
  } catch (cause) {
    if (cause instanceof ArchiveError) return false;
    throw cause;
  }
  return missing.size === 0 && !hasMore;
}

function contentsOf(folder: string, except: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const inside = relative(folder, path).split(sep).join('/');
    if (except.includes(inside) || isTemporary(entry.name)) continue;
    if (entry.isSymbolicLink()) found.set(inside, `link ${fs.readlinkSync(path)}`);
    else if (entry.isFile()) found.set(inside, digestOfPath(path));
  }
  return found;
}
