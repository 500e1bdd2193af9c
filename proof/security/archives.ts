/** Restores hostile archives. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { must, shortened } from '../must.ts';
import type { Point } from '../suite.ts';
import { createFenced, type Fenced, mustNotHold, SENTINEL } from './outside.ts';

interface Entry {
  readonly path: string;
  /** The tar type: 0 file, 1 hard link, 2 link, 3 and 4 devices, 5 folder, 6 pipe, x and g pax, L long name. */
  readonly flag?: string;
  readonly content?: string;
  readonly target?: string;
  /** Set if it differs from the size of the content. */
  readonly size?: string;
  readonly mode?: string;
}

function tar(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return zlib.gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function header(
  { path: name, flag = '0', target = '', size, mode = '0000644' }: Entry,
  length: number,
): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write(`${mode}\0`, 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(size ?? `${length.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(flag, 156);
  block.write(target, 157, 100);
  block.write('ustar\0', 257);
  block.write('00', 263);
  block.write('        ', 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function pax(key: string, value: string): Entry {
  const field = ` ${key}=${value}\n`;
  let length = field.length + 1;
  while (String(length).length + field.length !== length) length = String(length).length + field.length;
  return { path: 'PaxHeader', flag: 'x', content: `${length}${field}` };
}

/** Each follows a valid part of an archive, so that only the hostile part is refused. */
function evils({ way, outside }: Fenced): Readonly<Record<string, readonly Entry[]>> {
  const up = `../../../${way}`;
  const evil = { content: 'evil\n' };
  return {
    'dot-dot': [{ path: `${up}/evil`, ...evil }],
    'dot-dot-inside': [{ path: `a/../../${up}/evil`, ...evil }],
    absolute: [{ path: `${outside}/evil`, ...evil }],
    backslash: [{ path: `..\\..\\evil`, ...evil }],
    'pax-path': [pax('path', `${up}/evil`), { path: 'harmless', ...evil }],
    'long-name': [
      { path: '././@LongLink', flag: 'L', content: `${up}/evil\0` },
      { path: 'harmless', ...evil },
    ],
    'link-then-file': [
      { path: 'way', flag: '2', target: outside },
      { path: 'way/evil', ...evil },
    ],
    'relative-link-then-file': [
      { path: 'way', flag: '2', target: up },
      { path: 'way/evil', ...evil },
    ],
    'link-over-folder': [
      { path: 'working', flag: '5' },
      { path: 'working', flag: '2', target: outside },
      { path: 'working/evil', ...evil },
    ],
    'link-chain': [
      { path: 'a', flag: '2', target: '.' },
      { path: 'b', flag: '2', target: `a/../${up}` },
      { path: 'b/evil', ...evil },
    ],
    'pax-link': [
      pax('linkpath', outside),
      { path: 'way', flag: '2', target: 'x' },
      { path: 'way/evil', ...evil },
    ],
    'link-to-secret': [{ path: 'INSTRUCTIONS-2.md', flag: '2', target: `${outside}/secret.md` }],
    'hard-link': [{ path: 'stolen', flag: '1', target: `${outside}/secret.txt` }],
    device: [{ path: 'device', flag: '3' }],
    'block-device': [{ path: 'device', flag: '4' }],
    pipe: [{ path: 'pipe', flag: '6' }],
    'global-pax': [
      { path: 'g', flag: 'g', content: `30 path=${up}/evil\n` },
      { path: 'harmless', ...evil },
    ],
    'huge-size': [{ path: 'huge', size: '77777777777\0', ...evil }],
    'base-256-size': [
      { path: 'huge', size: '\u0080\0\0\0\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff', ...evil },
    ],
    'negative-size': [{ path: 'negative', size: '-0000000001', ...evil }],
    'nan-size': [pax('size', '1e999'), { path: 'nan', ...evil }],
    twice: [
      { path: 'same', ...evil },
      { path: 'same', ...evil },
    ],
    setuid: [{ path: 'setuid', mode: '0006755', ...evil }],
    empty: [{ path: '', ...evil }],
    dot: [{ path: '.', flag: '2', target: outside }],
    'new-line': [{ path: 'a\nb\u001b]0;x\u0007', ...evil }],
  };
}

export function archivePoint(program: 'iterate' | 'converse'): Point {
  return {
    id: `archive/${program}`,
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      if (program === 'converse') await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
      const folder = program === 'iterate' ? 'claude-iterate/archive' : 'talk/archive';
      fs.mkdirSync(site.path(folder), { recursive: true });
      for (const [name, entries] of Object.entries(evils(fenced))) {
        const archive = `${name}-2026-01-31T12-00-00`;
        const file = site.path(folder, program === 'iterate' ? `${archive}.tar.gz` : `${name}.tar.gz`);
        fs.writeFileSync(file, tar([...good(program, name), ...entries]));
        const argv =
          program === 'iterate' ? ['iterate', 'archive', 'restore', archive] : ['converse', 'restore', file];
        const { exitCode, signal, stdout, stderr } = await site.run(argv);
        must(signal === null && exitCode !== 70 && !/internal error/.test(stderr), () => ({
          expected: `\`${name}\` to be refused, or restored without the hostile part`,
          found: shortened(`${signal ?? exitCode}: ${stdout}${stderr}`),
        }));
        must(!/[\u001b\u0007]/.test(`${stdout}${stderr}`), () => ({
          expected: 'names that are safe to show',
          found: JSON.stringify(stderr),
        }));
        fenced.mustBeUntouched(`the archive \`${name}\``);
        mustStayInside(fenced, name);
        mustNotHold(site, SENTINEL);
        trial.count('evil archives');
      }
    },
  };
}

/** The part that makes it an archive of this program. */
function good(program: 'iterate' | 'converse', name: string): readonly Entry[] {
  const at = '2026-01-31T12:00:00.000Z';
  if (program === 'iterate') {
    const archived = { name, archivedAt: at, originalPath: `claude-iterate/workspaces/${name}` };
    return [
      { path: '.archived.json', content: JSON.stringify(archived) },
      {
        path: '.metadata.json',
        content: JSON.stringify({ name, created: at, status: 'in_progress', mode: 'loop', maxIterations: 1 }),
      },
    ];
  }
  return [
    { path: '.archived.json', content: JSON.stringify({ session_id: name, archived_at: at, first: false }) },
    {
      path: `state/${name}.json`,
      content: JSON.stringify({
        session_id: name,
        created_at: at,
        current_iteration: 0,
        status: 'completed',
        metadata: {},
      }),
    },
  ];
}

/** No link that leads out, no device, no file with extra permissions. */
function mustStayInside({ site }: Fenced, name: string): void {
  for (const below of fs.readdirSync(site.folder, { recursive: true, encoding: 'utf8' })) {
    const place = site.path(below);
    const stat = fs.lstatSync(place);
    const isOdd = !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink();
    must(!isOdd && (stat.mode & 0o6000) === 0, () => ({
      expected: `a plain file from \`${name}\``,
      found: `mode ${stat.mode.toString(8)}`,
      where: below,
    }));
    if (!stat.isSymbolicLink()) continue;
    const leads = path.resolve(path.dirname(place), fs.readlinkSync(place));
    must(leads.startsWith(site.folder), () => ({
      expected: `no link out of the workspace from \`${name}\``,
      found: leads,
      where: below,
    }));
  }
}
