/** Gives every parser texts that double, from families that make expressions and loops start over repeatedly. */
import { bundled } from '../rig/readers.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { type Expression, expressionsIn, pumpedFor, SHORT_ONLY } from './expressions.ts';
import { FAMILIES } from './families.ts';
import { type Growing, mustBeLinear } from './growth.ts';
import type { Reader } from './reader.ts';

const MOST = 128 * 1024;
/** Quadratic code takes about a minute for this length. */
const MOST_OF_EXPRESSION = { quick: 32 * 1024, full: 64 * 1024 };
const QUICK = { families: 3, expressions: 8 };

export const linearTime: Suite = {
  name: 'linear-time',
  title:
    'Every parser of text from agents, files or users gets hostile texts that double, and so does every regular expression of the sources: nothing breaks, and nothing takes longer than a second.',
  timeLimitMs: 300_000,
  async *points(context) {
    yield* readerPoints(context);
    yield* expressionPoints(context);
  },
};

/** One point per parser, with its families one after the other. */
async function* readerPoints({ root, folder, scale, random }: Context): AsyncGenerator<Point> {
  const entry = `export { READERS } from '${root}/proof/linear-time/readers/index.ts';`;
  const { READERS } = await bundled<{ readonly READERS: readonly Reader[] }>(root, folder(), entry);
  for (const { name, most = MOST, read } of READERS) {
    const families = scale === 'full' ? FAMILIES : random.fork(name).sample(FAMILIES, QUICK.families);
    yield {
      id: `reader/${name}`,
      async check(trial) {
        const place = trial.folder();
        for (const family of families) {
          trial.signal.throwIfAborted();
          const what = `${name}, given ${family.name}`;
          mustBeLinear({ what, most, text: family.text, use: (text) => read(text, place) });
          trial.count('texts that double');
          await breathe();
        }
      },
    };
  }
}

/** One point per source file. */
async function* expressionPoints({ root, scale, random, seed }: Context): AsyncGenerator<Point> {
  const all = (await expressionsIn(root)).filter(({ file }) => SHORT_ONLY[file] === undefined);
  const files = [...new Set(all.map(({ file }) => file))];
  for (const file of scale === 'full' ? files : random.sample(files, QUICK.expressions)) {
    yield {
      id: `expression/${file}`,
      async check(trial) {
        for (const expression of all.filter((each) => each.file === file)) {
          trial.signal.throwIfAborted();
          tryExpression(expression, { seed, scale });
          trial.count('regular expressions');
          await breathe();
        }
      },
    };
  }
}

function tryExpression(
  expression: Expression,
  given: { readonly seed: number; readonly scale: 'quick' | 'full' },
): void {
  const { file, line, pattern } = expression;
  const everywhere = new RegExp(pattern, expression.flags.replace(/[gy]/g, '').concat('g'));
  const most = MOST_OF_EXPRESSION[given.scale];
  for (const [before, piece, after] of pumpedFor(expression, given)) {
    const growing: Growing = {
      what: `${file}:${line}, given ${JSON.stringify([before, piece, after])}`,
      most,
      text: (characters) => before + piece.repeat(Math.ceil(characters / piece.length)) + after,
      use: (text) => text.replace(everywhere, ''),
    };
    mustBeLinear(growing, most);
  }
}

/** Lets the runner check its time limit. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
