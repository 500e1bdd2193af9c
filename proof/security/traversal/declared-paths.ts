/** Paths that lead out of the workspace, declared in a workflow, built from its values, or used as role names. */
import fs from 'node:fs';
import { must } from '../../must.ts';
import type { Point } from '../../suite.ts';
import { createFenced } from '../outside.ts';
import { mustRefuse, namesLeadingOut } from './leading-out.ts';

/** Every key of a step that takes a path, with a placeholder for it. */
const PLACES: Readonly<Record<string, (at: string) => object>> = {
  input_file: (at) => ({ command: ['cat'], input_file: `${at}/secret.txt`, output_file: 'read.txt' }),
  output_file: (at) => ({ command: ['echo', 'x'], output_file: `${at}/made.txt` }),
  depends_on: (at) => ({
    provider: 'mock',
    input_file: 'prompt.txt',
    depends_on: { required: [`${at}/*.txt`], inject: { mode: 'content' } },
  }),
  wait_for: (at) => ({ wait_for: { glob: `${at}/*`, timeout_sec: 1 } }),
  when: (at) => ({ command: ['touch', 'went-out'], when: { exists: `${at}/*` } }),
  expect: (at) => ({ command: ['echo', 'x'], expect: { files: [`${at}/secret.txt`] } }),
  cache: (at) => ({ command: ['echo', 'x'], cache: { inputs: [`${at}/*`] } }),
  move_to: (at) => ({
    for_each: {
      items: ['a.txt'],
      on_item_complete: { success: { move_to: `${at}/moved` } },
      steps: [{ name: 'In', command: ['true'] }],
    },
  }),
  item: (at) => ({
    for_each: {
      items: [`${at}/secret.txt`],
      on_item_complete: { success: { move_to: 'moved' } },
      steps: [{ name: 'In', command: ['true'] }],
    },
  }),
  call: (at) => ({ call: { workflow: `${at}/work.yaml` } }),
};

export function* workflowPaths(): Generator<Point> {
  for (const [place, step] of Object.entries(PLACES)) {
    yield {
      id: `traversal/workflow/${place}`,
      async check(trial) {
        const fenced = createFenced(trial);
        const { site } = fenced;
        fs.symlinkSync(fenced.outside, site.path('way-out'));
        site.write({ 'a.txt': 'a', 'prompt.txt': 'Do it.' });
        for (const at of [...namesLeadingOut(fenced).slice(0, 4), 'way-out']) {
          for (const given of place === 'call' ? [at] : [at, '${context.at}']) {
            const steps = [{ name: 'Step', ...step(given) }];
            site.write({ 'work.yaml': JSON.stringify({ name: 'work', context: { at }, steps }) });
            const ended = await site.run(['run', 'work.yaml', '--quiet']);
            mustRefuse(fenced, ended, ['run', `with ${place} at ${given} (${at})`]);
            must(!site.has('went-out'), () => ({
              expected: 'nothing outside to be found',
              found: `a match at ${at}`,
            }));
          }
        }
      },
    };
  }
}

/** Phases and tasks name role files, which are searched only in their folder. */
export function rolePoint(): Point {
  return {
    id: 'traversal/role',
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      await site.ok(['session', 'start', 'Work']);
      for (const name of [`../../${fenced.way}/secret`, `${fenced.outside}/secret`]) {
        await site.run(['task', 'create', '--title', 'x', '--agent', name]);
        await site.run(['phases', 'create', 'Work', '--phase', `Do it::${name}`, '--archive', '--quiet']);
        mustRefuse(fenced, await site.run(['phases', 'run', '--agent', 'mock', '--quiet']), [
          'phases',
          'run',
        ]);
        mustRefuse(fenced, await site.run(['execute', '--agent', 'mock', '--quiet']), ['execute']);
      }
    },
  };
}
