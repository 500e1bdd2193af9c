/**
 * Documents are executed. Of every page, in order and in one folder of its own that holds a copy of `examples/`:
 *
 *   ```sh               runs and must exit with 0       ```sh exit=3     must exit with 3       ```sh no-run    is not run
 *   ```yaml             is a workflow without a problem; a list of steps counts as one       ```yaml file=x.yaml    is also written there
 *   ```yaml no-check    is one with mistakes in it
 *   ```js file=x.mjs     is written there; the package can be imported
 *   ```text output      is what the `sh` block before it printed, but for times and ids
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BINARY, Workspace } from './rig/orchestrate.ts';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const PAGES = [
  'examples/README.md',
  ...fs.readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...fs
    .readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].sort();

/** Where a path in these pages begins. */
const PLACES = ['.', 'src', 'src/workflow'];

interface Block {
  readonly language: string;
  readonly marks: readonly string[];
  readonly text: string;
  readonly line: number;
}

describe.each(PAGES)('%s', (page) => {
  const text = fs.readFileSync(path.join(ROOT, page), 'utf8');

  it('holds commands that run and workflows without a problem', { timeout: 300_000 }, async () => {
    const workspace = new Workspace();
    fs.cpSync(path.join(ROOT, 'examples'), path.join(workspace.folder, 'examples'), { recursive: true });
    linkPackage(workspace);
    let printed = '';
    for (const block of blocksOf(text)) {
      const where = `${page}:${block.line}`;
      if (block.language === 'yaml' && !block.marks.includes('no-check'))
        await checkWorkflow(workspace, block, where);
      const file = markOf(block, 'file');
      if (['js', 'ts'].includes(block.language) && file !== undefined)
        workspace.write({ [file]: block.text });
      if (block.language === 'text' && block.marks.includes('output'))
        expect(settled(printed), where).toBe(settled(block.text));
      if (!['sh', 'bash'].includes(block.language) || block.marks.includes('no-run')) continue;
      const ran = runScript(workspace, block.text);
      printed = ran.printed;
      expect(ran.exitCode, `${where}\n${printed}`).toBe(Number(markOf(block, 'exit') ?? 0));
    }
  });

  it('has links that lead somewhere', () => {
    const broken = linksOf(text).filter((link) => !leadsSomewhere(page, link));
    expect(broken).toEqual([]);
  });

  it('names no folder of a machine', () => {
    const prose = text.replace(/^```[\s\S]*?^```/gm, '');
    expect(prose.match(/(?<![\w.])\/(?:home|root|Users|tmp|work|private|mnt|opt)\/\S*/g) ?? []).toEqual([]);
  });
});

describe.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md'])('%s', (page) => {
  it('names files that are there', () => {
    const text = fs.readFileSync(path.join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/`([\w-]+(?:\/[\w-]+)*\/[\w-]+\.(?:ts|js|md))`/g)].map(
      ([, name]) => name ?? '',
    );
    const missing = named.filter((name) => !PLACES.some((place) => isThere(place, name)));
    expect(missing).toEqual([]);
  });
});

describe('README.md', () => {
  it('fits on two hundred lines and begins with the two commands', () => {
    const lines = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8').split('\n');
    expect(lines.length).toBeLessThanOrEqual(201);
    const [first] = blocksOf(lines.slice(0, 40).join('\n')).filter(({ language }) => language === 'sh');
    expect(first?.text.match(/^npm .*?(?= +#|$)/gm)).toEqual([
      'npm ci && npm run demo',
      'npm ci && npm test',
    ]);
  });
});

describe('docs/cli.md', () => {
  it('is what `--help` says', { timeout: 300_000 }, () => {
    // One start of the program for every command.
    const checked = spawnSync(process.execPath, ['scripts/cli-docs.js', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
  });
});

/** As `npm install` would, without copying it. */
function linkPackage({ folder }: Workspace): void {
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(path.join(path.dirname(BINARY), '..'), path.join(folder, 'node_modules', 'orchestrate-run'));
}

function isThere(place: string, name: string): boolean {
  return fs.existsSync(path.join(ROOT, place, name));
}

function blocksOf(text: string): readonly Block[] {
  return [...text.matchAll(/^```([a-z]+)([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    marks: (match[2] ?? '').split(' ').filter((mark) => mark !== ''),
    text: match[3] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
}

function markOf(block: Block, name: string): string | undefined {
  return block.marks.find((mark) => mark.startsWith(`${name}=`))?.slice(name.length + 1);
}

async function checkWorkflow(workspace: Workspace, block: Block, where: string): Promise<void> {
  const file = markOf(block, 'file') ?? 'checked.yaml';
  const isList = /^- /m.test(block.text.replace(/^(?:#.*)?\n/gm, '').slice(0, 2));
  workspace.write({ [file]: isList ? `steps:\n${block.text}` : block.text });
  const checked = await workspace.run(['validate', file]);
  expect(checked, `${where}\n${checked.stdout}${checked.stderr}`).toMatchObject({ exitCode: 0 });
}

/** `orchestrate` is the real binary; what it prints on both streams comes in the order it was printed. */
function runScript(
  workspace: Workspace,
  script: string,
): { readonly exitCode: number | null; readonly printed: string } {
  workspace.write({
    '.bin/orchestrate': `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`,
  });
  fs.chmodSync(path.join(workspace.folder, '.bin', 'orchestrate'), 0o755);
  const ran = spawnSync('bash', ['-e', '-c', `exec 2>&1\n${script}`], {
    cwd: workspace.folder,
    encoding: 'utf8',
    env: {
      PATH: `${path.join(workspace.folder, '.bin')}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: workspace.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
    },
  });
  return { exitCode: ran.status, printed: ran.stdout };
}

/** Without what is different every time. */
function settled(text: string): string {
  return text
    .replace(/\d{8}T\d{6}Z-[a-z0-9]{6}/g, '<run>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '<when>')
    .replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, '<time>')
    .replace(/ {2}<time>/g, '')
    .replace(/[ \t]+$/gm, '')
    .trim();
}

function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path.join(ROOT, page) : path.join(ROOT, path.dirname(page), file);
  if (!fs.existsSync(target)) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** As GitHub makes them. */
function anchorsOf(file: string): readonly string[] {
  return [...fs.readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    (title ?? '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
