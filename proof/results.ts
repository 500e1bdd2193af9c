/**
 * The results of the proof, as saved in `proof/results/`: `seed-<n>.json` for each full run, `mutants.json` for the planted
 * bugs. The page `docs/proof.md` is rendered from these files and the findings.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Finding, Scale } from './suite.ts';

export interface FoundViolation extends Finding {
  readonly id: string;
  /** Kept for inspection. */
  readonly folder?: string;
}

export interface SuiteResult {
  readonly name: string;
  readonly title: string;
  readonly seed: number;
  readonly scale: Scale;
  /** Points that were tried to the end, whatever was found. */
  readonly tried: number;
  readonly violations: readonly FoundViolation[];
  /** Reason → number of points. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number>>;
  /** What took time → its longest time in ms. */
  readonly longest?: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly durationMs: number;
  /** ISO 8601. */
  readonly endedAt: string;
}

/** Where and with what a result was obtained. */
export interface Setting {
  readonly version: string;
  readonly commit: string;
  readonly node: string;
  readonly platform: string;
}

/** Found by the saved run, and gone when it was tried again. */
export interface FixedViolation extends Finding {
  readonly id: string;
  /** The part of the id whose points were tried. */
  readonly tried: string;
  /** With which it was tried again. */
  readonly setting: Setting;
}

export type SavedSuite = SuiteResult & {
  readonly setting: Setting;
  readonly fixed?: readonly FixedViolation[];
};

export interface SavedRun {
  readonly seed: number;
  readonly suites: Readonly<Record<string, SavedSuite>>;
}

export interface MutantResult {
  readonly name: string;
  /** The bug in words. */
  readonly title: string;
  readonly file: string;
  /** Suites and tests that were run against it → the first finding of each; null if it found nothing. */
  readonly found: Readonly<Record<string, string | null>>;
}

export interface SavedMutants {
  readonly seed: number;
  readonly endedAt: string;
  readonly setting: Setting;
  readonly mutants: readonly MutantResult[];
}

export function saveSuites(root: string, setting: Setting, results: readonly SuiteResult[]): string {
  const seed = results[0]?.seed ?? 0;
  const file = path.join(resultsFolder(root), `seed-${seed}.json`);
  const before = fs.existsSync(file) ? readJson<SavedRun>(file).suites : {};
  const suites = { ...before };
  for (const result of results) suites[result.name] = { ...result, setting };
  return saveRun(root, { seed, suites });
}

/** Replaces the saved run of a seed. */
export function saveRun(root: string, run: SavedRun): string {
  const file = path.join(resultsFolder(root), `seed-${run.seed}.json`);
  writeJson(file, run);
  return file;
}

/** Replaces earlier results of the mutants that were tried; the others stay. */
export function saveMutants(root: string, saved: SavedMutants): string {
  const file = path.join(resultsFolder(root), 'mutants.json');
  const now = new Set(saved.mutants.map(({ name }) => name));
  const before = (loadMutants(root)?.mutants ?? []).filter(({ name }) => !now.has(name));
  writeJson(file, { ...saved, mutants: [...before, ...saved.mutants] });
  return file;
}

export function loadRuns(root: string): readonly SavedRun[] {
  const folder = resultsFolder(root);
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => /^seed-\d+\.json$/.test(name));
  return names.sort().map((name) => readJson<SavedRun>(path.join(folder, name)));
}

export function loadMutants(root: string): SavedMutants | undefined {
  const file = path.join(resultsFolder(root), 'mutants.json');
  return fs.existsSync(file) ? readJson<SavedMutants>(file) : undefined;
}

function resultsFolder(root: string): string {
  return path.join(root, 'proof', 'results');
}

function readJson<Value>(file: string): Value {
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

function writeJson(file: string, value: unknown): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
