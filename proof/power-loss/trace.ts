/** The trace recorded by `rig/record-disk.cjs`. */
import fs from 'node:fs';

export type TraceKind =
  | 'create'
  | 'write'
  | 'truncate'
  | 'rename'
  | 'link'
  | 'symlink'
  | 'unlink'
  | 'mkdir'
  | 'rmdir'
  | 'sync'
  | 'put'
  | 'gone'
  | 'called'
  | 'told';

export interface TraceLine {
  readonly kind: TraceKind;
  readonly path: string;
  readonly to?: string;
  readonly bytes?: Buffer;
  readonly position?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly inode?: number;
  readonly text?: string;
}

export function readTrace(file: string): readonly TraceLine[] {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((text) => {
      const { bytes, ...line } = JSON.parse(text);
      return bytes === undefined ? line : { ...line, bytes: Buffer.from(bytes, 'base64') };
    });
}
