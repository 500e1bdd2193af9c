/** Truncates files of the product at every byte, and flips their bits and bytes. */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { runProgram } from '../program.ts';
import { loadReaders, type Readers } from '../rig/readers.ts';
import type { Context, Point, Suite, Trial } from '../suite.ts';
import { cutAt, type Damage, flipped } from './damage.ts';
import { expectHonest, wholeJournal } from './journal.ts';
import { makeSamples, type Probe, type Sample } from './samples.ts';

/** For all samples together, read by the product's own reader. */
const FLIPS = { quick: 1_000, full: 100_000 };
const FLIPS_A_POINT = 1_000;
/** For each sample, read by the real program. */
const PROBED = { quick: 1, full: 15 };
const QUICK_SAMPLES = 4;
const QUICK_STEP = 13;

export const tornAndFlipped: Suite = {
  name: 'torn-and-flipped',
  title:
    'Journals and documents are cut at every byte, and their bits and bytes flipped: damage is reported with the name of the file, and nothing that was not written is ever read.',
  async *points(context) {
    const readers = await loadReaders(context.root, context.folder());
    const samples = await makeSamples(context);
    const read = samples.filter(({ reader }) => reader !== undefined);
    const isQuick = context.scale === 'quick';
    const reading = isQuick ? read.slice(0, 1) : read;
    for (const sample of reading) yield* readPoints(context, { sample, readers, kinds: reading.length });
    const probed = isQuick ? context.random.sample(samples, QUICK_SAMPLES) : samples;
    for (const sample of probed) yield* probePoints(context, sample);
  },
};

interface Reading {
  readonly sample: Sample;
  readonly readers: Readers;
  /** Number of samples that share the flips. */
  readonly kinds: number;
}

function readPoints(context: Context, { sample, readers, kinds }: Reading): readonly Point[] {
  const whole = fs.readFileSync(path.join(sample.folder, sample.file));
  const { reader } = sample;
  if (reader === undefined) return [];
  // The journal gets half of all flips.
  const share = sample.format === 'journal' ? 0.5 : 0.5 / Math.max(1, kinds - 1);
  const points = Math.max(1, Math.round((FLIPS[context.scale] * share) / FLIPS_A_POINT));
  const step = context.scale === 'quick' ? QUICK_STEP : 1;
  const check = judged(sample, readers[reader], whole);
  return [
    {
      id: `${sample.name}/every-cut`,
      check(trial) {
        for (let length = 0; length < whole.length; length += step) {
          check(trial, cutAt(whole, length));
          trial.count('cuts');
        }
      },
    },
    ...Array.from({ length: points }, (_, index) => ({
      id: `${sample.name}/flips/${index}`,
      check(trial: Trial) {
        for (let turn = 0; turn < FLIPS_A_POINT; turn += 1) check(trial, flipped(whole, trial.random));
        trial.count('flips', FLIPS_A_POINT);
      },
    })),
  ];
}

function judged(sample: Sample, read: Readers[keyof Readers], whole: Buffer) {
  const original = sample.format === 'journal' ? wholeJournal(whole) : undefined;
  const folders = new WeakMap<Trial, string>();
  return (trial: Trial, damage: Damage): void => {
    const folder = folders.get(trial) ?? trial.folder();
    folders.set(trial, folder);
    const file = path.join(folder, path.basename(sample.file));
    fs.writeFileSync(file, damage.bytes);
    const result = read(file);
    if (original !== undefined) expectHonest(original, damage, result);
    else
      must(result.type === 'error' || isReadable(sample, damage.bytes), () => ({
        expected: 'that invalid JSON is refused',
        found: shortened(JSON.stringify(result)),
        where: file,
      }));
    must(fs.readFileSync(file).equals(damage.bytes), () => ({
      ...{ expected: 'that reading changes nothing', found: 'other bytes', where: file },
    }));
  };
}

function probePoints(context: Context, sample: Sample): readonly Point[] {
  const whole = fs.readFileSync(path.join(sample.folder, sample.file));
  return Array.from({ length: PROBED[context.scale] }, (_, index) => ({
    id: `${sample.name}/program/${index}`,
    async check(trial: Trial) {
      const isCut = trial.random.next() < 0.4;
      const damage = isCut
        ? cutAt(whole, trial.random.integer(0, whole.length - 1))
        : flipped(whole, trial.random);
      for (const probe of sample.probes) await tryProbe(trial, { sample, damage, probe });
    },
  }));
}

async function tryProbe(
  trial: Trial,
  { sample, damage, probe }: { readonly sample: Sample; readonly damage: Damage; readonly probe: Probe },
): Promise<void> {
  const folder = trial.folder();
  fs.cpSync(sample.folder, folder, { recursive: true });
  const file = path.join(folder, sample.file);
  fs.writeFileSync(file, damage.bytes);
  const ended = await runProgram({ root: trial.root, folder, signal: trial.signal, ...probe });
  trial.count('damaged files shown to the program');
  const said = `${ended.stdout}${ended.stderr}`;
  const where = `${probe.argv.join(' ')}, bytes ${damage.from} to ${damage.to} of ${sample.file}`;
  must(ended.exitCode !== null && ended.exitCode !== 70 && !/\n {4}at |internal error/.test(said), () => ({
    ...{ expected: 'a sentence that says what is wrong', found: `${ended.exitCode}\n${said}`, where },
  }));
  if (!sample.isNeeded) {
    must(ended.exitCode === 0, () => ({ expected: 'that a view is not needed', found: said, where }));
    const whole = { root: trial.root, folder: sample.folder, signal: trial.signal };
    const { stdout } = await runProgram({ ...whole, ...probe });
    must(ended.stdout === stdout, () => ({ expected: stdout, found: ended.stdout, where }));
    return;
  }
  if (isReadable(sample, damage.bytes)) return;
  const names =
    said.includes(path.basename(sample.file)) || said.includes(path.basename(sample.file, '.json'));
  // A list continues with the others.
  must(names && (ended.exitCode !== 0 || said.includes('warning: ')), () => ({
    expected: 'that it is refused, with the name of the file',
    found: `${ended.exitCode}\n${said}`,
    where,
  }));
  must(fs.readFileSync(file).equals(damage.bytes), () => ({
    ...{ expected: 'that a file that is refused stays as it is', found: 'other bytes', where },
  }));
}

/** Based only on the format. A changed document that is still valid could have been written that way. */
function isReadable({ format }: Sample, bytes: Buffer): boolean {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  try {
    if (format === 'json') JSON.parse(text);
    else if (format === 'lines') for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    else return !hasWholeLineBehindDamage(text);
    return true;
  } catch {
    return false;
  }
}

/** T3: only then is a journal refused. */
function hasWholeLineBehindDamage(text: string): boolean {
  const lines = text.split('\n').slice(0, -1);
  const isWhole = (line: string): boolean => {
    try {
      return typeof JSON.parse(line) === 'object';
    } catch {
      return false;
    }
  };
  const first = lines.findIndex((line) => !isWhole(line));
  return first >= 0 && lines.slice(first + 1).some(isWhole);
}
