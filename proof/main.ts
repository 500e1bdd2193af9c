/** `npm run proof`: the command line of the proof. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createDisplay } from './display.ts';
import { MUTANTS } from './mutants/list.ts';
import { runMutants } from './mutants/run-mutants.ts';
import { renderPage } from './render-page.ts';
import {
  loadMutants,
  loadRuns,
  type MutantResult,
  type Setting,
  type SuiteResult,
  saveMutants,
  saveRun,
  saveSuites,
} from './results.ts';
import { NoSuchPoint, runSuite } from './run-suite.ts';
import type { Suite } from './suite.ts';
import { SUITES } from './suites.ts';
import { tryAgain } from './try-again.ts';

const HELP = `Usage: npm run proof -- [options]

  --suite <name>            only this suite; may be given several times
  --only <suite>/<point>    only this point, or the points below this part of an id
  --seed <n>                the choices of this seed (default: a new one, which is printed)
  --quick                   the sample that npm test runs
  --points <n>              at most this many points of each suite, chosen by the seed
  --jobs <n>                points tried at once (default: number of cores)
  --save                    save the result in proof/results/, for the page; of an interrupted run, what it has tried
  --again                   try the violations in the saved results of the seed again, and save which are gone
  --until-found             stop at the first violation
  --mutants                 plant known bugs in copies, one at a time; each must be found
  --mutant <name>           only this one; may be given several times
  --report                  write docs/proof.md from proof/results/, and run nothing
  --list                    list the suites
`;

export async function main(root: string, argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === 'string') return say(options, 2);
  if (options.help) return say(HELP, 0);
  if (options.list) return say(SUITES.map(({ name, title }) => `${name}\n  ${title}\n`).join(''), 0);
  if (options.report) {
    fs.writeFileSync(path.join(root, 'docs', 'proof.md'), renderPage(loadRuns(root), loadMutants(root)));
    return 0;
  }
  if (options.again) return proveAgain(root, options);
  if (options.mutants || options.mutant !== undefined) return proveMutants(root, options);
  const only = options.only === undefined ? undefined : pointOf(options.only);
  const names = only === undefined ? options.suites : [only.suite];
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) return say(`unknown suite \`${unknown[0]}\`; --list shows all\n`, 2);
  const suites = SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
  return prove(root, suites, { ...options, point: only?.point });
}

interface ProofOptions {
  readonly seed: number;
  readonly quick: boolean;
  readonly save: boolean;
  readonly jobs: number;
  readonly most: number | undefined;
  readonly 'until-found': boolean;
  readonly point: string | undefined;
}

async function prove(root: string, suites: readonly Suite[], options: ProofOptions): Promise<number> {
  const signal = stopSignal();
  process.stderr.write(`seed ${options.seed}\n`);
  const display = createDisplay(
    suites.map(({ name }) => name),
    process.stderr,
  );
  const results: SuiteResult[] = [];
  try {
    for (const suite of suites) {
      const result = await runSuite(suite, {
        ...{ root, seed: options.seed, jobs: options.jobs, signal },
        scale: options.quick ? 'quick' : 'full',
        ...(options.point === undefined ? {} : { only: options.point }),
        ...(options.most === undefined ? {} : { most: options.most }),
        untilFound: options['until-found'],
        onProgress: display.progress,
        onViolation: ({ id }) => display.violation(suite.name, id),
      });
      results.push(result);
      display.ended(result);
      if (signal.aborted) break;
    }
  } catch (problem) {
    if (problem instanceof NoSuchPoint) return say(`${problem.message}\n`, 2);
    throw problem;
  } finally {
    display.close();
  }
  for (const result of results) process.stdout.write(violationsText(result));
  if (options.save) process.stderr.write(`saved in ${saveSuites(root, settingOf(root), results)}\n`);
  if (signal.aborted) return 130;
  return results.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

/** Exit code 1 if a violation is still there. */
async function proveAgain(
  root: string,
  {
    seed,
    jobs,
    suites: names,
  }: { readonly seed: number; readonly jobs: number; readonly suites: readonly string[] },
): Promise<number> {
  const signal = stopSignal();
  const run = loadRuns(root).find((each) => each.seed === seed);
  if (run === undefined) return say(`no results of seed ${seed} are saved\n`, 2);
  const suites = { ...run.suites };
  for (const suite of SUITES) {
    const saved = suites[suite.name];
    if (saved === undefined || saved.violations.length === 0) continue;
    if (names.length > 0 && !names.includes(suite.name)) continue;
    const tried = await tryAgain(suite, saved, {
      root,
      seed,
      jobs,
      signal,
      scale: 'full',
      setting: settingOf(root),
    });
    if (signal.aborted) return 130;
    suites[suite.name] = tried;
    process.stderr.write(
      `${suite.name}: ${saved.violations.length} tried again, ${tried.violations.length} left\n`,
    );
  }
  process.stderr.write(`saved in ${saveRun(root, { seed, suites })}\n`);
  return Object.values(suites).some(({ violations }) => violations.length > 0) ? 1 : 0;
}

interface MutantOptions {
  readonly seed: number;
  readonly jobs: number;
  readonly save: boolean;
  readonly mutant?: readonly string[] | undefined;
}

/** Exit code 1 if a planted bug is not found. */
async function proveMutants(root: string, { seed, jobs, save, mutant }: MutantOptions): Promise<number> {
  const mutants = MUTANTS.filter(({ name }) => mutant === undefined || mutant.includes(name));
  process.stderr.write(`seed ${seed}\n`);
  const results = await runMutants(mutants, {
    ...{ root, seed, jobs, suites: SUITES.map(({ name }) => name) },
    signal: stopSignal(),
    onResult: (result) => {
      process.stdout.write(mutantText(result));
      if (save)
        saveMutants(root, {
          ...{ seed, endedAt: new Date().toISOString(), setting: settingOf(root) },
          mutants: [result],
        });
    },
  });
  return results.length === mutants.length && results.every(isFound) ? 0 : 1;
}

function isFound({ found }: MutantResult): boolean {
  const finders = Object.values(found);
  return finders.length > 0 && finders.every((what) => what !== null);
}

function mutantText(result: MutantResult): string {
  const finders = Object.entries(result.found).map(([name, what]) => `  ${name}: ${what ?? 'nothing'}\n`);
  const verdict = isFound(result) ? 'found' : finders.length > 0 ? 'NOT FOUND' : 'NOT TRIED';
  return `${verdict.padEnd(14)} ${result.name}: ${result.title}\n${finders.join('')}`;
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return stop.signal;
}

/** Everything needed to investigate it, and the command that repeats it. */
export function violationsText({ name, seed, scale, violations }: SuiteResult): string {
  const quick = scale === 'quick' ? ' --quick' : '';
  return violations
    .map(({ id, expected, found, where, folder }) =>
      [
        `\nviolation: ${name}/${id}`,
        `  expected: ${expected}`,
        `  found:    ${found.replaceAll('\n', '\n            ')}`,
        ...(where === undefined ? [] : [`  where:    ${where}`]),
        ...(folder === undefined ? [] : [`  kept:     ${folder}`]),
        `  repeat:   npm run proof -- --seed ${seed}${quick} --only '${name}/${id}'`,
        '',
      ].join('\n'),
    )
    .join('');
}

export function settingOf(root: string): Setting {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  return { version, commit, node: process.versions.node, platform: `${os.type()} ${os.arch()}` };
}

function readOptions(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        suite: { type: 'string', multiple: true },
        only: { type: 'string' },
        seed: { type: 'string' },
        jobs: { type: 'string' },
        points: { type: 'string' },
        quick: { type: 'boolean', default: false },
        save: { type: 'boolean', default: false },
        report: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        again: { type: 'boolean', default: false },
        'until-found': { type: 'boolean', default: false },
        mutants: { type: 'boolean', default: false },
        mutant: { type: 'string', multiple: true },
        help: { type: 'boolean', default: false },
      },
    });
    const numbers = [values.seed, values.jobs, values.points];
    if (numbers.some((text) => text !== undefined && !/^[1-9]\d*$/.test(text)))
      return 'expected a whole number after --seed, --jobs and --points\n';
    const seed = Number(values.seed ?? 1 + Math.floor(Math.random() * 999_999));
    const jobs = Number(values.jobs ?? os.availableParallelism());
    const most = values.points === undefined ? undefined : Number(values.points);
    if (values.save && (values.quick || values.only !== undefined || most !== undefined))
      return 'only full results are saved: --save cannot be combined with --quick, --only or --points\n';
    return { ...values, suites: values.suite ?? [], seed, jobs, most };
  } catch (problem) {
    return `${problem instanceof Error ? problem.message : problem}\n\n${HELP}`;
  }
}

function pointOf(text: string): { readonly suite: string; readonly point: string } {
  const slash = text.indexOf('/');
  return { suite: text.slice(0, Math.max(0, slash)), point: text.slice(slash + 1) };
}

function say(text: string, exitCode: number): number {
  (exitCode === 0 ? process.stdout : process.stderr).write(text);
  return exitCode;
}
