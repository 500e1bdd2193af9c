/**
 * A model of a disk at a power loss: what was done to it, in order, and when it was synced.
 *
 * M1 Synced data survives. A synced file has its bytes, a synced folder its names; a file's name belongs to its folder.
 * M2 Of the unsynced name changes of one folder, a prefix survives: no file system loses an earlier change of a folder and keeps a
 *    later one. Two folders are independent, except for a rename from one to the other, which survives or not.
 * M3 Of the unsynced bytes of a file, any sectors survive. A lost sector contains what was last synced, and zeros beyond
 *    that.
 * M4 Commands and agents sync their own files: they survive if their folder does. This does not apply to output that goes into a file
 *    opened by the program.
 */
import fs from 'node:fs';
import type { TraceLine } from './trace.ts';

export const SECTOR = 512;

interface Node {
  readonly type: 'file' | 'folder' | 'link';
  readonly changes: Change[];
  /** For a link. */
  readonly target?: string;
  /** The inode number of the file while it was recorded. */
  inode: number | undefined;
}

type Change = Bytes | Size | Names;

interface Made {
  /** Its position in the trace. */
  readonly at: number;
  /** The position of the sync that covers it. */
  syncedAt: number;
}

interface Bytes extends Made {
  readonly type: 'bytes';
  readonly node: Node;
  readonly offset: number;
  readonly bytes: Buffer;
}

interface Size extends Made {
  readonly type: 'size';
  readonly node: Node;
  readonly size: number;
}

interface Names extends Made {
  readonly type: 'names';
  readonly names: readonly {
    readonly folder: Node;
    readonly name: string;
    readonly node: Node | undefined;
  }[];
}

/** Which of the unsynced changes survive. */
export interface Survival {
  /** For a change of names, called in order. */
  names(index: number): boolean;
  /** The contents of a file, given the synced and the written contents. */
  contents(synced: Buffer, written: Buffer, index: number): Buffer;
}

export interface FileLeft {
  readonly path: string;
  readonly contents: Buffer | { readonly link: string } | 'folder';
  readonly inode: number | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Children print into these files, opened by the program. */
const PRINTED = /^\.orchestrate\/runs\/[^/]+\/logs\//;

export class Disk {
  readonly #root: Node = { type: 'folder', changes: [], inode: undefined };
  readonly #names: Names[] = [];
  readonly #files: Node[] = [];
  /** Folder → its current contents. */
  readonly #now = new Map<Node, Map<string, Node>>([[this.#root, new Map()]]);
  readonly #sizes = new Map<Node, number>();

  /** Adds what exists from the start. */
  put(path: string, contents: Buffer | 'folder', given: { at: number; inode?: number | undefined }): void {
    const { at, inode } = given;
    const isPrinted = PRINTED.test(path);
    const node =
      this.#find(path) ?? this.#make(path, contents === 'folder' ? 'folder' : 'file', { at, syncedAt: at });
    if (node === undefined) return;
    node.inode ??= inode;
    if (contents === 'folder') return;
    const syncedAt = isPrinted ? NEVER : at;
    this.#add({ type: 'size', node, size: 0, at, syncedAt });
    this.#add({ type: 'bytes', node, offset: 0, bytes: contents, at, syncedAt });
  }

  apply(line: TraceLine, at: number): void {
    const made: Made = { at, syncedAt: NEVER };
    if (line.kind === 'put') this.put(line.path, line.bytes ?? 'folder', { at, inode: line.inode });
    else if (line.kind === 'gone') this.#rename(line.path, undefined, { at, syncedAt: at });
    else if (line.kind === 'create') this.#create(line, made);
    else if (line.kind === 'mkdir') this.#make(line.path, 'folder', made);
    else if (line.kind === 'symlink') this.#make(line.to ?? '', 'link', made, line.path);
    else if (line.kind === 'write') this.#write(line, made);
    else if (line.kind === 'truncate') this.#resize(line.path, line.size ?? 0, made);
    else if (line.kind === 'rename') this.#rename(line.path, line.to, made);
    else if (line.kind === 'link') this.#link(line, made);
    else if (line.kind === 'unlink' || line.kind === 'rmdir') this.#rename(line.path, undefined, made);
    else if (line.kind === 'sync') this.#sync(line.path, at);
  }

  /** How many name changes, and files with changes, are unsynced just before `at`. */
  unsure(at: number): { readonly names: number; readonly files: number } {
    return {
      names: this.#names.filter((change) => isUnsure(change, at)).length,
      files: this.#files.filter((file) => file.changes.some((change) => isUnsure(change, at))).length,
    };
  }

  /** Everything below the root, parents first, as a power loss just before `at` may leave it. */
  left(at: number, survival: Survival): readonly FileLeft[] {
    const folders = new Map<Node, Map<string, Node>>();
    let asked = 0;
    for (const change of this.#names) {
      if (change.at >= at) break;
      if (isUnsure(change, at) && !survival.names(asked++)) continue;
      for (const { folder, name, node } of change.names) {
        const inside = folders.get(folder) ?? new Map<string, Node>();
        if (node === undefined) inside.delete(name);
        else inside.set(name, node);
        folders.set(folder, inside);
      }
    }
    const contents = new Map<Node, Buffer>();
    const unsureFiles = this.#files.filter((file) => file.changes.some((change) => isUnsure(change, at)));
    const contentsOf = (file: Node): Buffer => {
      const known = contents.get(file);
      if (known !== undefined) return known;
      const written = assembled(file, (change) => change.at < at);
      const index = unsureFiles.indexOf(file);
      const made =
        index < 0
          ? written
          : survival.contents(
              assembled(file, (change) => change.syncedAt < at),
              written,
              index,
            );
      contents.set(file, made);
      return made;
    };
    const found: FileLeft[] = [];
    const walk = (folder: Node, below: string): void => {
      for (const [name, node] of folders.get(folder) ?? []) {
        const path = below === '' ? name : `${below}/${name}`;
        const { inode } = node;
        if (node.type === 'link') found.push({ path, contents: { link: node.target ?? '' }, inode });
        else if (node.type === 'file') found.push({ path, contents: contentsOf(node), inode });
        else {
          found.push({ path, contents: 'folder', inode });
          walk(node, path);
        }
      }
    };
    walk(this.#root, '');
    return found;
  }

  /** Folders of unsynced name changes, in order: for M2. */
  unsureFolders(at: number): readonly (readonly unknown[])[] {
    return this.#names
      .filter((change) => isUnsure(change, at))
      .map((change) => change.names.map(({ folder }) => folder));
  }

  #create({ path, inode, flags }: TraceLine, made: Made): void {
    if (this.#find(path) !== undefined) {
      if (((flags ?? 0) & fs.constants.O_TRUNC) !== 0) this.#resize(path, 0, made);
      return;
    }
    const node = this.#make(path, 'file', made);
    if (node !== undefined) node.inode = inode;
  }

  #resize(path: string, size: number, made: Made): void {
    const node = this.#find(path);
    if (node !== undefined) this.#add({ type: 'size', node, size, ...made });
  }

  #write({ path, bytes, position }: TraceLine, made: Made): void {
    const node = this.#find(path);
    if (node === undefined || bytes === undefined) return;
    this.#add({ type: 'bytes', node, offset: position ?? this.#sizes.get(node) ?? 0, bytes, ...made });
  }

  #link(line: TraceLine, made: Made): void {
    const node = this.#find(line.path);
    const [folder, name] = this.#placeOf(line.to ?? '');
    if (node === undefined || folder === undefined) return;
    this.#change([{ folder, name, node }], made);
  }

  #rename(from: string, to: string | undefined, made: Made): void {
    const node = this.#find(from);
    const [folder, name] = this.#placeOf(from);
    if (node === undefined || folder === undefined) return;
    const gone = { folder, name, node: undefined };
    const [newFolder, newName] = this.#placeOf(to ?? '');
    if (to === undefined) this.#change([gone], made);
    else if (newFolder !== undefined) this.#change([gone, { folder: newFolder, name: newName, node }], made);
  }

  /** A rename is synced with its target folder. */
  #sync(path: string, at: number): void {
    const node = path === '.' ? this.#root : this.#find(path);
    if (node === undefined) return;
    if (node.type === 'file')
      for (const change of node.changes) change.syncedAt = Math.min(change.syncedAt, at);
    else
      for (const change of this.#names)
        if (change.names.at(-1)?.folder === node) change.syncedAt = Math.min(change.syncedAt, at);
  }

  #make(path: string, type: Node['type'], made: Made, target?: string): Node | undefined {
    const [folder, name] = this.#placeOf(path);
    if (folder === undefined) return undefined;
    const node: Node = {
      ...{ type, changes: [], inode: undefined },
      ...(target === undefined ? {} : { target }),
    };
    if (type === 'folder') this.#now.set(node, new Map());
    if (type === 'file') this.#files.push(node);
    this.#change([{ folder, name, node }], made);
    return node;
  }

  #change(names: Names['names'], made: Made): void {
    this.#names.push({ type: 'names', names, ...made });
    for (const { folder, name, node } of names) {
      if (node === undefined) this.#now.get(folder)?.delete(name);
      else this.#now.get(folder)?.set(name, node);
    }
  }

  #add(change: Bytes | Size): void {
    change.node.changes.push(change);
    const size = this.#sizes.get(change.node) ?? 0;
    this.#sizes.set(
      change.node,
      change.type === 'size' ? change.size : Math.max(size, change.offset + change.bytes.length),
    );
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of path.split('/')) {
      if (node === undefined) return undefined;
      node = this.#now.get(node)?.get(name);
    }
    return node;
  }

  #placeOf(path: string): readonly [Node | undefined, string] {
    const slash = path.lastIndexOf('/');
    const folder = slash < 0 ? this.#root : this.#find(path.slice(0, slash));
    return [folder, path.slice(slash + 1)];
  }
}

function isUnsure(change: Made, at: number): boolean {
  return change.at < at && change.syncedAt >= at;
}

function assembled(file: Node, isThere: (change: Change) => boolean): Buffer {
  let contents = Buffer.alloc(0);
  for (const change of file.changes) {
    if (change.type === 'names' || !isThere(change)) continue;
    const end = change.type === 'size' ? change.size : change.offset + change.bytes.length;
    const isWhole = change.type === 'bytes' && end <= contents.length;
    const next = isWhole ? Buffer.from(contents) : Buffer.alloc(end);
    if (!isWhole) contents.copy(next);
    if (change.type === 'bytes') change.bytes.copy(next, change.offset);
    contents = next;
  }
  return contents;
}
