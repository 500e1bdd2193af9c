/** Puts files of the user where the program writes, and finds them afterwards. */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import type { Site } from '../site/site.ts';

export type Kind = 'file' | 'read-only' | 'link' | 'folder';
export const KINDS: readonly Kind[] = ['file', 'read-only', 'link', 'folder'];

export interface Stranger {
  /** Relative to the site. */
  readonly place: string;
  readonly kind: Kind;
  /** A unique text: the content of a file, the target of a link, or the content of a file in a folder. */
  readonly text: string;
}

const INNER = 'mine.txt';

/** Puts it in place of the program's file. */
export function lay(site: Site, place: string, kind: Kind): Stranger {
  const at = site.path(place);
  const stranger = { place, kind, text: `of the user, at ${place}, as ${kind}` };
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.rmSync(at, { recursive: true, force: true });
  switch (kind) {
    case 'file':
      fs.writeFileSync(at, `${stranger.text}\n`);
      break;
    case 'read-only':
      fs.writeFileSync(at, `${stranger.text}\n`, { mode: 0o444 });
      break;
    case 'link':
      fs.mkdirSync(site.path('mine'), { recursive: true });
      fs.writeFileSync(site.path('mine', 'linked.txt'), `${stranger.text}\n`);
      fs.symlinkSync(path.relative(path.dirname(at), site.path('mine', 'linked.txt')), at);
      break;
    case 'folder':
      fs.mkdirSync(at);
      fs.writeFileSync(path.join(at, INNER), `${stranger.text}\n`);
      break;
  }
  return stranger;
}

/** Each is in place, moved with its folder, or kept under another name that was reported. */
export function mustBeThere(site: Site, strangers: readonly Stranger[], talk: string): void {
  const found = everything(site.folder);
  for (const stranger of strangers) {
    const name = path.basename(stranger.place);
    const holders = found.filter((each) => isThat(each, stranger));
    must(holders.length > 0, () => ({
      expected: `the user's \`${stranger.place}\` (${stranger.kind})`,
      found: `no file with its content; output:\n${shortened(talk)}`,
      where: stranger.place,
    }));
    if (holders.some((each) => nameOf(each, stranger) === name)) continue;
    const kept = holders.find((each) => nameOf(each, stranger).startsWith(`${name}.kept-`));
    must(kept !== undefined && talk.includes(nameOf(kept, stranger)), () => ({
      expected: `\`${stranger.place}\` to stay, or to be kept as \`${name}.kept-<n>\` and reported`,
      found: `${holders.map((each) => each.place).join(', ')}; output:\n${shortened(talk)}`,
      where: stranger.place,
    }));
  }
}

interface Found {
  readonly place: string;
  readonly content: string;
  readonly isLink: boolean;
}

/** The target of the link is a foreign file too and must not change. */
function isThat({ place, content, isLink }: Found, { kind, text }: Stranger): boolean {
  if (kind === 'link') return isLink && content.endsWith('mine/linked.txt');
  if (kind === 'folder') return path.basename(place) === INNER && content === `${text}\n`;
  // Append-only files may have more lines.
  return !isLink && content.startsWith(`${text}\n`);
}

function nameOf({ place }: Found, { kind }: Stranger): string {
  return path.basename(kind === 'folder' ? path.dirname(place) : place);
}

function everything(folder: string): readonly Found[] {
  const found: Found[] = [];
  const visit = (below: string): void => {
    for (const entry of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const place = path.join(below, entry.name);
      const at = path.join(folder, place);
      if (entry.isDirectory()) visit(place);
      else if (entry.isSymbolicLink()) found.push({ place, content: fs.readlinkSync(at), isLink: true });
      else if (entry.isFile()) found.push({ place, content: fs.readFileSync(at, 'latin1'), isLink: false });
    }
  };
  visit('');
  return found;
}
