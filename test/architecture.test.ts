/** The rules of ARCHITECTURE.md that can be checked automatically. Its table of folders is read, not repeated. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const SRC = path.join(ROOT, 'src');
const MAX_LINES = 400;
const MARK = /\/[/*].*\b(?:T[O]DO(?!\.md)|F[I]XME|X[X]X|H[A]CK)\b/;
const DRAWERS = ['utils', 'util', 'helpers', 'common', 'services', 'managers', 'lib', 'misc', 'shared'];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

interface Row {
  readonly all: boolean;
  readonly folders: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
}

const files = sourceFiles(SRC, '.ts');
const imports = files.flatMap(importsOf);
const table = readTable();

describe('the source tree', () => {
  it('has only folders that the table of ARCHITECTURE.md describes', () => {
    const folders = [...new Set(files.map(folderOf))];
    expect(folders.filter((folder) => !table.has(folder))).toEqual([]);
  });

  it('has a folder for every row of the table', () => {
    const folders = new Set(files.map(folderOf));
    expect([...table.keys()].filter((folder) => !folders.has(folder))).toEqual([]);
  });

  it('has operations that do not access their process: it is passed in with the site', () => {
    const knowing = files
      .filter((file) => folderOf(file) === 'operations')
      .filter((file) => /(?<![-/`])\bprocess\.(?!kill\b|ts')|\bconsole\./.test(withoutComments(read(file))));
    expect(knowing).toEqual([]);
  });

  it('is imported only as the table of ARCHITECTURE.md allows', () => {
    const wrong = imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([]);
  });

  it('has doors that import only operations, host, report, notify and model', () => {
    const allowed = ['model', 'operations', 'host', 'report', 'notify'];
    const rows = ['cli', 'mcp', 'http'].map((door) => [...(table.get(door)?.folders ?? [])]);
    // `orchestrate mcp` and `orchestrate serve` start the other doors, `keep` the keeper, and `worker` a worker.
    expect(rows.map((row) => row.filter((folder) => !allowed.includes(folder)))).toEqual([
      ['mcp', 'http', 'keeper', 'cluster'],
      [],
      [],
    ]);
  });

  it('has no folders that import each other', () => {
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of imports.filter((one) => folderOf(one.from) !== folderOf(one.to))) {
      const targets = edges.get(folderOf(from)) ?? new Set();
      edges.set(folderOf(from), targets.add(folderOf(to)));
    }
    expect(cycleIn(edges)).toEqual([]);
  });

  it('has no sub-folders that import each other; the files at the root of a folder count as one', () => {
    const edges = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      const [one, other] = [subfolderOf(from), subfolderOf(to)];
      if (folderOf(from) !== folderOf(to) || one === other) continue;
      edges.set(one, (edges.get(one) ?? new Set()).add(other));
    }
    expect(cycleIn(edges)).toEqual([]);
  });

  it('has no drawers: every folder is named by a word of the domain', () => {
    const named = files.flatMap((file) => path.dirname(file).split('/'));
    expect(named.filter((name) => DRAWERS.includes(name))).toEqual([]);
  });

  it(`has no file of more than ${MAX_LINES} lines`, () => {
    expect(files.filter((file) => read(file).split('\n').length - 1 > MAX_LINES)).toEqual([]);
  });

  it('has one idiom for optional fields: `...defined({ maybe })`', () => {
    const other = /\.\.\.\(([\w.]+) === undefined \? \{\} : \{ (?:\w+: )?\1 \}\)/;
    expect(files.filter((file) => other.test(read(file)))).toEqual([]);
  });

  it('has no TODO marks', () => {
    const marked = ['src', 'bin', 'scripts', 'test', 'bench', 'proof'].flatMap((folder) =>
      sourceFiles(path.join(ROOT, folder), '.ts', '.js', '.cjs')
        .filter((file) => !file.includes('node_modules/'))
        .filter((file) => MARK.test(fs.readFileSync(path.join(ROOT, folder, file), 'utf8')))
        .map((file) => `${folder}/${file}`),
    );
    expect(marked).toEqual([]);
  });

  it('has no dependencies to install, and CONTRIBUTING.md gives the reason for each bundled package', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    const used = [...new Set(files.flatMap(packagesOf))].sort();
    expect(Object.keys(manifest.devDependencies)).toEqual(expect.arrayContaining(used));
    const [, table = ''] = fs
      .readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8')
      .split('## Bundled packages');
    expect([...table.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]).sort()).toEqual(used);
  });
});

/** Everything that removes or replaces a file or a branch. */
const TAKES_AWAY = [
  /\bfs\.(?:promises\.)?(?:unlink|rm|rmdir|rename|truncate|ftruncate|writeFile|copyFile|cp)(?:Sync)?\(/,
  /\bfs\.createWriteStream\(/,
  /\bO_TRUNC\b/,
  /\bopen(?:Sync)?\([^)]*'w/,
  /\b(?:replaceFile|removeFile|clearAway|clearFolderAway|removeFolder|removeIfEmpty|emptyPinned)\(/,
  /\[\s*'(?:worktree|branch|checkout|reset|clean|merge|stash|rm|update-ref|restore|switch)'/,
];

describe('the invariants of ARCHITECTURE.md', () => {
  const [, section = ''] = fs
    .readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    .split(/^## (?:Invariants|Errors.*)$/m);
  const paragraphs = section.split(/\n(?=- [A-Z]\d|\*\*)/).filter((text) => /^(?:- J\d|\*\*)/.test(text));

  it('are cited by a file that is named with them, and each file exists', () => {
    expect(paragraphs.length).toBeGreaterThan(15);
    for (const text of paragraphs) {
      const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file ?? '');
      const known = named.map((file) => files.find((each) => each === file || each.endsWith(`/${file}`)));
      expect(known, text).not.toContain(undefined);
      const sources = known.map((file) => read(file ?? ''));
      // The numbers of the page are those of its documentation.
      const cited = [...text.replace(/S1–S11|\(F5\)/g, '').matchAll(/\b[A-Z]\d\b/g)].map(
        ([number]) => number,
      );
      const uncited = cited.filter(
        (number) => !sources.some((source) => new RegExp(`\\b${number}\\b`).test(source)),
      );
      expect(uncited, text).toEqual([]);
    }
  });

  it('of the store are cited by every file that maintains them', () => {
    for (const text of paragraphs.filter((each) => each.startsWith('- J'))) {
      const [, number = ''] = /^- (J\d)/.exec(text) ?? [];
      const maintaining = [...(text.split(/ —\s/)[1] ?? '').matchAll(/`([\w./-]+\.ts)`/g)].map(
        ([, file]) => file ?? '',
      );
      expect(maintaining.length, text).toBeGreaterThan(0);
      expect(
        maintaining.filter((file) => !read(file).includes(number)),
        number,
      ).toEqual([]);
    }
  });
});

describe('code that removes files', () => {
  it('is listed in the table of docs/files.md, and nowhere else', () => {
    const named = new Set(filesOfTable());
    // What is known about foreign programs is data.
    const own = files.filter((file) => !file.startsWith('template/'));
    const taking = own.filter((file) => TAKES_AWAY.some((each) => each.test(withoutComments(read(file)))));
    expect(taking.filter((file) => !named.has(file))).toEqual([]);
    expect([...named].filter((file) => !taking.includes(file))).toEqual([]);
  });

  it('is called through `fs`, so that it is found', () => {
    const other = files.filter((file) => /^import (?!type |fs from )[^;]*from 'node:fs/m.test(read(file)));
    expect(other).toEqual([]);
  });
});

/** `| what | how | `file.ts` `file.ts` |` of the section. */
function filesOfTable(): readonly string[] {
  const page = fs.readFileSync(path.join(ROOT, 'docs', 'files.md'), 'utf8');
  const section = /^## What is removed and replaced$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => [...(line.split('|').at(-2) ?? '').matchAll(/`([^`]+\.ts)`/g)])
    .map(([, file]) => file ?? '');
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

describe('the package', () => {
  it('has the two programs, the first also by the name of the package, and ships what they need', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(manifest.bin).toEqual({
      orchestrate: 'bin/orchestrate.js',
      'claude-iterate': 'bin/claude-iterate.js',
      'orchestrate-run': 'bin/orchestrate.js',
    });
    for (const file of Object.values<string>(manifest.bin)) {
      expect(fs.readFileSync(path.join(ROOT, file), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
      expect(fs.statSync(path.join(ROOT, file)).mode & 0o111, file).not.toBe(0);
    }
    expect(manifest.files).toEqual(expect.arrayContaining(['bin', 'dist', 'schema', 'examples']));
    for (const entry of manifest.files) expect(fs.existsSync(path.join(ROOT, entry)), entry).toBe(true);
  });
});

function sourceFiles(folder: string, ...endings: readonly string[]): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => name.replaceAll(path.sep, '/'))
    .sort();
}

function read(file: string): string {
  return fs.readFileSync(path.join(SRC, file), 'utf8');
}

function folderOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** `store` for a file at its root, `report/text` for one below. */
function subfolderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/');
}

/** Complete statements: `import … from '…'`, `export … from '…'`, `import '…'`, and `import('…')`. */
function specifiersOf(file: string): readonly { readonly text: string; readonly typeOnly: boolean }[] {
  const source = read(file);
  const whole = [...source.matchAll(/^(?:import|export)\s+(type\s)?([^'";=]*?)\s*from\s+'([^']+)'/gm)].map(
    ([, type, names, text]) => ({
      text: text ?? '',
      typeOnly: type !== undefined || isAllTypes(names ?? ''),
    }),
  );
  const bare = [...source.matchAll(/(?:^import\s+|\bimport\()'([^']+)'/gm)].map(([, text]) => ({
    text: text ?? '',
    typeOnly: false,
  }));
  return [...whole, ...bare];
}

/** `{ type A, type B }` */
function isAllTypes(names: string): boolean {
  const braces = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  const each = braces?.split(',').map((name) => name.trim());
  return each?.filter((name) => name !== '').every((name) => name.startsWith('type ')) ?? false;
}

function importsOf(file: string): readonly Import[] {
  return specifiersOf(file)
    .filter(({ text }) => text.startsWith('.'))
    .map(({ text, typeOnly }) => ({
      from: file,
      to: path.posix.normalize(path.posix.join(path.posix.dirname(file), text)),
      typeOnly,
    }))
    .filter(({ to }) => !to.startsWith('../'));
}

function packagesOf(file: string): readonly string[] {
  return specifiersOf(file)
    .filter(({ text }) => !text.startsWith('.') && !text.startsWith('node:'))
    .map(({ text }) =>
      text
        .split('/')
        .slice(0, text.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

/** `| `folder/` `other/` | holds | may import |` */
function readTable(): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const line of fs.readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n')) {
    const [, names = '', , allowed = ''] = line.split('|').map((cell) => cell.trim());
    const folders = [...names.matchAll(/`([a-z]+)\/`/g)].map(([, name]) => name ?? '');
    const words = allowed.split(',').map((word) => word.trim());
    const row = {
      all: words.includes('everything'),
      folders: new Set(words),
      types: new Set(words.filter((word) => word.startsWith('types of ')).map((word) => word.slice(9))),
    };
    for (const folder of folders) rows.set(folder, row);
  }
  return rows;
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const row = table.get(folderOf(from));
  const target = folderOf(to);
  if (row === undefined || target === folderOf(from) || row.all || row.folders.has(target)) return true;
  return typeOnly && row.types.has(target);
}

/** One cycle, or an empty list. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const done = new Set<string>();
  const visit = (folder: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(folder)) return [...trail.slice(trail.indexOf(folder)), folder];
    if (done.has(folder)) return [];
    for (const next of edges.get(folder) ?? []) {
      const found = visit(next, [...trail, folder]);
      if (found.length > 0) return found;
    }
    done.add(folder);
    return [];
  };
  for (const folder of edges.keys()) {
    const found = visit(folder, []);
    if (found.length > 0) return found;
  }
  return [];
}
