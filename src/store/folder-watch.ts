import fs from 'node:fs';

/** More folders than this are left to polling: each needs a watch, and the system has a limited number. */
const MAX_FOLDERS = 256;

/**
 * Notifies that something in one of the folders may have changed. It guarantees nothing — a system may have no watches left — so its user
 * must poll as well.
 */
export class FolderWatch {
  readonly #onChange: (name?: string) => void;
  readonly #watchers = new Map<string, { readonly inode: number; readonly watcher: fs.FSWatcher }>();

  /** `onChange` gets the name of the file in its folder, if the system tells it. */
  constructor(onChange: (name?: string) => void) {
    this.#onChange = onChange;
  }

  /** Watches these as well. True if one is new: earlier changes in it have not been reported. */
  add(folders: readonly string[]): boolean {
    return folders.filter((folder) => this.#addOne(folder)).length > 0;
  }

  /** Watches these, and none of the others any more. */
  only(folders: readonly string[]): void {
    const wanted = new Set(folders);
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder);
    this.add(folders);
  }

  close(): void {
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #addOne(folder: string): boolean {
    const inode = fs.statSync(folder, { throwIfNoEntry: false })?.ino;
    const known = this.#watchers.get(folder);
    if (inode === undefined || known?.inode === inode) return false;
    this.#drop(folder);
    if (this.#watchers.size >= MAX_FOLDERS) return false;
    try {
      const watcher = fs.watch(folder, (_event, name) => this.#onChange(name ?? undefined));
      watcher.on('error', () => this.#drop(folder));
      this.#watchers.set(folder, { inode, watcher });
      return true;
    } catch {
      return false;
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }
}
