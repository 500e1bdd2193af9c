/** A folder becomes a link between check and use. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { must, mustEqual, shortened } from '../must.ts';
import type { Point } from '../suite.ts';
import { createFenced, type Fenced, mustNotHold, SENTINEL } from './outside.ts';

/** Swaps `at` between a folder and a link to the outside, as fast as it can. */
async function whileSwapping(
  { site, outside }: Fenced,
  at: string,
  action: () => Promise<void>,
): Promise<void> {
  fs.mkdirSync(site.path(at), { recursive: true });
  fs.symlinkSync(outside, site.path('.way-out'));
  // `mv -T --exchange` is not available everywhere: this uses two renames, and the program may see every state.
  const script = `
    import os
    at, aside, link = "${site.path(at)}", "${site.path('.aside')}", "${site.path('.way-out')}"
    while True:
      try:
        os.rename(at, aside); os.rename(link, at)
        os.rename(at, link); os.rename(aside, at)
      except OSError:
        for made in (at, aside):
          try: os.mkdir(at) if made is at and not os.path.lexists(at) else None
          except OSError: pass
  `.replaceAll(/^ {4}/gm, '');
  const swapper = spawn('python3', ['-c', script], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const gone = new Promise<void>((resolve) => {
    swapper.once('exit', () => resolve());
    swapper.once('error', () => resolve());
  });
  try {
    await action();
  } finally {
    swapper.kill('SIGKILL');
    await gone;
  }
}

const LEADS_OUT = /^error\[workflow\/link-leaves-workspace\]/m;

const ITEMS = Array.from({ length: 80 }, (_, number) => `item-${number}.txt`);

const STEPS: Readonly<Record<string, object>> = {
  'output-file': {
    for_each: {
      items: ITEMS,
      on_item_failure: 'continue',
      max_parallel: 4,
      steps: [{ name: 'Say', command: ['echo', 'x'], output_file: 'out/${item}' }],
    },
  },
  'input-file': {
    for_each: {
      items: ITEMS,
      on_item_failure: 'continue',
      max_parallel: 4,
      steps: [{ name: 'Read', command: ['cat'], input_file: 'out/secret.txt' }],
    },
  },
  'move-to': {
    for_each: {
      ...{
        items: ITEMS.map((name) => `from/${name}`),
        on_item_failure: 'continue',
        on_item_complete: { success: { move_to: 'out/sub' } },
      },
      steps: [{ name: 'Go', command: ['true'] }],
    },
  },
  'agent-files': {
    for_each: {
      items: ITEMS,
      on_item_failure: 'continue',
      steps: [{ name: 'Ask', provider: 'actor', input_file: 'prompt.txt', retries: 0 }],
    },
  },
};

export function* linkPoints(): Generator<Point> {
  for (const [name, step] of Object.entries(STEPS)) {
    yield {
      id: `link-swap/${name}`,
      async check(trial) {
        const fenced = createFenced(trial);
        const { site } = fenced;
        for (const item of ITEMS) site.write({ [`from/${item}`]: 'x' });
        const providers = { actor: { adapter: 'mock', script: { files: { 'out/by-agent.txt': 'x\n' } } } };
        const workflow = { name: 'work', strict_flow: false, providers, steps: [{ name: 'Loop', ...step }] };
        site.write({ 'work.yaml': JSON.stringify(workflow), 'prompt.txt': 'Do it.' });
        await whileSwapping(fenced, 'out', async () => {
          // A run that sees the link before it starts is refused entirely.
          for (let turn = 0; turn < 20 && site.runs().length < 3; turn += 1) {
            const ended = await site.run(['run', 'work.yaml', '--quiet']);
            const isReported = ended.exitCode === 0 || ended.exitCode === 1 || LEADS_OUT.test(ended.stderr);
            must(isReported, () => ({ expected: 'a reported end', found: shortened(ended.stderr) }));
          }
        });
        fenced.mustBeUntouched(`steps during swaps of their folder`);
        fs.rmSync(site.path('.way-out'), { force: true });
        mustNotHold(site, SENTINEL);
        mustEqual(site.runs().length, 3, 'runs that ended');
      },
    };
  }
}
