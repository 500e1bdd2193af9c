/** Plants each known bug in a copy of the repository and runs the suites and tests that must find it. The repository itself is not touched. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { MutantResult } from '../results.ts';
import type { Mutant } from './mutant.ts';

export interface MutantRun {
  readonly root: string;
  readonly seed: number;
  readonly jobs: number;
  /** The names of all suites; an unknown name in a mutant is an error. */
  readonly suites: readonly string[];
  readonly signal: AbortSignal;
  onResult(result: MutantResult): void;
}

/** What the copy needs for the build, the proof and the tests. */
const COPIED = ['bin', 'proof', 'scripts', 'src', 'test', 'schema', 'docs', 'examples', 'web'];
const COPIED_FILES = [
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'biome.json',
  'README.md',
  'CHANGELOG.md',
];

/** Folders with packages of their own: those of the repository, of the agents' real CLIs, and of other versions of Node. */
const PACKAGES = ['.', 'test/real-clis', 'test/nodes'];

/** Points of a suite to try, in any order; a bug that shows at none of them counts as not found. */
const MOST_POINTS = 200;

export async function runMutants(
  mutants: readonly Mutant[],
  run: MutantRun,
): Promise<readonly MutantResult[]> {
  for (const mutant of mutants) expectText(run.root, mutant);
  const results: MutantResult[] = [];
  for (const mutant of mutants) {
    if (run.signal.aborted) break;
    const result = await runMutant(mutant, run);
    results.push(result);
    run.onResult(result);
  }
  return results;
}

/** Throws if the text is missing or occurs twice. */
export function expectText(root: string, { name, file, text, replacement }: Mutant): void {
  const count = fs.readFileSync(path.join(root, file), 'utf8').split(text).length - 1;
  if (count !== 1)
    throw new Error(`mutant \`${name}\`: its text occurs ${count} times in \`${file}\`, expected once`);
  if (text === replacement) throw new Error(`mutant \`${name}\` changes nothing`);
}

async function runMutant(mutant: Mutant, run: MutantRun): Promise<MutantResult> {
  const copy = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-mutant-')));
  try {
    copyTo(run.root, copy);
    plant(copy, mutant);
    const found: Record<string, string | null> = {};
    const built = await call(copy, ['scripts/build.js'], run);
    if (built.exitCode !== 0) throw new Error(`mutant \`${mutant.name}\` cannot be built:\n${built.text}`);
    for (const wanted of mutant.suites ?? []) {
      if (run.suites.includes(wanted.name)) found[wanted.name] = await findBySuite(copy, wanted, run);
    }
    for (const { file, title } of mutant.tests ?? []) {
      const finder = Object.hasOwn(found, file) ? `${file}: ${title}` : file;
      found[finder] = await findByTest(copy, { file, title }, run);
    }
    return { name: mutant.name, title: mutant.title, file: mutant.file, found };
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

function copyTo(root: string, copy: string): void {
  for (const name of COPIED)
    fs.cpSync(path.join(root, name), path.join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => path.basename(from) !== 'node_modules',
    });
  for (const name of COPIED_FILES) fs.cpSync(path.join(root, name), path.join(copy, name));
  for (const folder of PACKAGES) {
    const packages = path.join(root, folder, 'node_modules');
    if (fs.existsSync(packages)) fs.symlinkSync(packages, path.join(copy, folder, 'node_modules'));
  }
}

function plant(copy: string, { file, text, replacement }: Mutant): void {
  const place = path.join(copy, file);
  fs.writeFileSync(
    place,
    fs.readFileSync(place, 'utf8').replace(text, () => replacement),
  );
}

async function findBySuite(
  copy: string,
  { name, below, points = MOST_POINTS }: NonNullable<Mutant['suites']>[number],
  run: MutantRun,
): Promise<string | null> {
  const where = below === undefined ? ['--suite', name] : ['--only', `${name}/${below}`];
  const seed = ['--seed', String(run.seed), '--jobs', String(run.jobs)];
  const { exitCode, text } = await call(
    copy,
    ['scripts/proof.js', ...where, ...seed, '--until-found', '--points', String(points)],
    run,
  );
  if (exitCode === 0) return null;
  if (exitCode !== 1) throw new Error(`the proof itself failed:\n${text}`);
  removeKept(text);
  const [, id = '', expected = '', found = ''] = VIOLATION.exec(text) ?? [];
  if (!(await holdsWithoutBug(id, { ...run, suite: name }))) return null;
  return `\`${id}\`: expected ${expected}, found ${short(found)}`;
}

const VIOLATION = /^violation: (.*)\n {2}expected: ([\s\S]*?)\n {2}found: {4}(.*)/m;

/** Violations that the unchanged program shows too are not caused by the bug. The undisturbed run has no point, and every suite starts with it. */
async function holdsWithoutBug(id: string, run: MutantRun & { readonly suite: string }): Promise<boolean> {
  const only = id.endsWith('/undisturbed') ? ['--suite', run.suite, '--points', '1'] : ['--only', id];
  const argv = ['scripts/proof.js', ...only, '--seed', String(run.seed), '--jobs', String(run.jobs)];
  const { exitCode, text } = await call(run.root, argv, run);
  removeKept(text);
  // 2: a point that exists only with the bug.
  return exitCode === 0 || exitCode === 2;
}

async function findByTest(
  copy: string,
  { file, title }: { readonly file: string; readonly title: string },
  run: MutantRun,
): Promise<string | null> {
  const only = title === '' ? [] : ['-t', title];
  const vitest = path.join('node_modules', 'vitest', 'vitest.mjs');
  const { exitCode, text } = await call(copy, [vitest, 'run', file, ...only], run);
  if (exitCode === 0) return null;
  const plain = text.replaceAll(/\u001b\[[\d;]*m/g, '');
  const failed = / FAIL {2}\S+ > (.*)/.exec(plain)?.[1];
  if (failed === undefined) throw new Error(`the tests could not be run:\n${plain.slice(-2000)}`);
  return failed;
}

/** Folders of points that must fail are not worth keeping. */
function removeKept(text: string): void {
  for (const [, folder = ''] of text.matchAll(/^ {2}kept: {5}(\/.*)$/gm))
    fs.rmSync(folder, { recursive: true, force: true });
}

/** The temporary folder on this machine is irrelevant. */
const FOLDER = /\/[^\s"'`]*\/orchestrate-proof-\w{6}/g;

function short(whole: string): string {
  const text = whole.replaceAll(FOLDER, 'FOLDER');
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function call(
  cwd: string,
  argv: readonly string[],
  { signal }: Pick<MutantRun, 'signal'>,
): Promise<{ readonly exitCode: number | null; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, text: Buffer.concat(chunks).toString('utf8') }));
  });
}
