/** Every regular expression of the sources, with texts derived from what it matches. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { within } from './growth.ts';

export interface Expression {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly pattern: string;
  readonly flags: string;
}

/** Expressions whose input cannot be long. */
export const SHORT_ONLY: Readonly<Record<string, string>> = {
  'src/model/amounts.ts': 'our own numbers',
};

/** The program, and the page that shows what agents and files contain. */
const FOLDERS = ['src', 'web'];

interface Parser {
  parseAst(text: string, options: { readonly lang: 'ts' | 'tsx' }, file: string): object;
}

export async function expressionsIn(root: string): Promise<readonly Expression[]> {
  // Not imported: bundled code cannot load the parser's own library.
  const resolved = createRequire(path.join(root, 'package.json')).resolve('rolldown/parseAst');
  const { parseAst } = (await import(pathToFileURL(resolved).href)) as Parser;
  const files = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${folder}/${file}`)
      .sort(),
  );
  return files.flatMap((file) => {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    return literalsIn(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)).map(
      ({ pattern, flags, start }) => ({
        ...{ file, pattern, flags },
        line: text.slice(0, start).split('\n').length,
      }),
    );
  });
}

interface Literal {
  readonly pattern: string;
  readonly flags: string;
  readonly start: number;
}

function literalsIn(node: unknown): readonly Literal[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(literalsIn);
  const { regex, start } = node as { readonly regex?: Omit<Literal, 'start'>; readonly start?: number };
  if (regex !== undefined) return [{ ...regex, start: start ?? 0 }];
  return Object.values(node).flatMap(literalsIn);
}

/** A prefix, a repeated piece and a suffix. */
export type Pumped = readonly [before: string, piece: string, after: string];

const SAMPLES = { quick: 2, full: 3 };
const SAMPLING_MS = 3000;
const LONGEST_SAMPLE = 12;
const LONGEST_PIECE = 3;
const ENDS = ['\u0001', '\u2028x', ''];
const COMMON = [
  ' ',
  '\n',
  '\t',
  'a',
  'A',
  '0',
  '-',
  '_',
  '.',
  '/',
  '*',
  '>',
  '`',
  '"',
  '{',
  '[',
  '\\',
  ',',
  ':',
  '\u001b',
];

/** Derived from texts that it matches, with each piece repeated in its place, and from common characters. */
export function pumpedFor(
  { pattern, flags }: Expression,
  given: { readonly seed: number; readonly scale: 'quick' | 'full' },
): readonly Pumped[] {
  const found = new Map<string, Pumped>();
  const add = (...pumped: Pumped): void => void found.set(JSON.stringify(pumped), pumped);
  for (const sample of ['', ...samplesOf(pattern, flags, given.seed, SAMPLES[given.scale])]) {
    for (let at = 0; at <= sample.length; at += 1) {
      const before = sample.slice(0, at);
      for (const char of given.scale === 'full' ? COMMON : []) add(before, char, '\u0001');
      for (let length = 1; length <= LONGEST_PIECE && at + length <= sample.length; length += 1) {
        const piece = sample.slice(at, at + length);
        for (const end of ENDS) {
          add(before, piece, end);
          add(before, piece, sample.slice(at + length) + end);
        }
      }
    }
  }
  return [...found.values()];
}

function samplesOf(pattern: string, flags: string, seed: number, numRuns: number): readonly string[] {
  // Lookarounds cannot be generated; their content is omitted.
  for (const simpler of [pattern, pattern.replace(/\(\?<?[=!](?:[^()]|\([^()]*\))*\)/g, '')]) {
    try {
      const plain = simpler.replaceAll(/\(\?<\w+>/g, '(').replaceAll(/\{(\d+)(,?)\d*\}/g, shorter);
      const expression = new RegExp(plain, flags.includes('u') ? 'u' : '');
      const matching = fc.stringMatching(expression, { size: 'xsmall' });
      // The generator knows printable characters only: for `[^ -~]` it would search forever.
      const samples = within(SAMPLING_MS, () => fc.sample(matching, { numRuns, seed })) ?? [];
      return samples.map((sample) => sample.slice(0, LONGEST_SAMPLE));
    } catch {
      // Take the simpler one.
    }
  }
  return [];
}

/** `{1,65536}` → `{1,4}`: generating all of it would take forever, and only the start of a sample is used. */
function shorter(_whole: string, least: string, comma: string): string {
  const few = Math.min(Number(least), 3);
  return comma === '' ? `{${few}}` : `{${few},${few + 3}}`;
}
