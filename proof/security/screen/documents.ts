/** Terminal control sequences in documents and in errors about them. */
import { createSite } from '../../site/site.ts';
import type { Point } from '../../suite.ts';
import { EVERY_SEQUENCE, mustBeHarmless } from './sequences.ts';

const VIEWS = [
  ['session', 'list'],
  ['session', 'status'],
  ['task', 'list'],
  ['task', 'validate'],
  ['execute', '--dry-run', '--agent', 'mock'],
  ['repair', '--dry-run'],
  ['phases', 'show'],
  ['phases', 'next'],
  ['phases', 'retry', 'phase_0'],
  ['iterate', 'list'],
  ['iterate', 'show', 'task'],
  ['converse', 'list', 'talk'],
  ['converse', 'history', 'talk'],
  ['validate', 'broken.yaml'],
  ['run', 'broken.yaml'],
  ['status', 'read', 'status.json'],
  ['status', 'validate', 'status.json'],
];

export function documentScreen(): Point {
  return {
    id: 'screen/documents',
    async check(trial) {
      const site = createSite(trial);
      const id = (await site.ok(['session', 'start', `Work ${EVERY_SEQUENCE}`])).stdout.trim();
      await site.ok([
        'task',
        'create',
        '--title',
        EVERY_SEQUENCE,
        '--requirement',
        EVERY_SEQUENCE,
        '--agent',
        EVERY_SEQUENCE,
        '--acceptance',
        EVERY_SEQUENCE,
      ]);
      await site.ok([
        'phases',
        'create',
        EVERY_SEQUENCE,
        '--phase',
        `${EVERY_SEQUENCE}::engineer`,
        '--quiet',
      ]);
      await site.run(['phases', 'start']);
      await site.run(['phases', 'fail', 'phase_0', '--error', EVERY_SEQUENCE]);
      await site.ok(['iterate', 'init', 'task', '--agent', 'claude']);
      const status = {
        complete: false,
        summary: EVERY_SEQUENCE,
        phase: EVERY_SEQUENCE,
        blockers: [EVERY_SEQUENCE],
        notes: EVERY_SEQUENCE,
        nextSteps: EVERY_SEQUENCE,
      };
      await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
      const agent = {
        name: 'mock',
        script: { structured: { content: [{ type: 'text', text: EVERY_SEQUENCE }] } },
      };
      site.write({
        'claude-iterate/workspaces/task/.status.json': JSON.stringify(status),
        'talk/config/workflow.yaml': JSON.stringify({ task: EVERY_SEQUENCE, agent }),
        'broken.yaml': `name: ${JSON.stringify(EVERY_SEQUENCE)}\n${JSON.stringify(EVERY_SEQUENCE)}: 1\nsteps:\n  - {name: ${JSON.stringify(EVERY_SEQUENCE)}, comand: [x]}\n`,
        'status.json': JSON.stringify({
          schema: 'status/v1',
          agent: EVERY_SEQUENCE,
          step: EVERY_SEQUENCE,
          message: EVERY_SEQUENCE,
          success: true,
          exit_code: 0,
          timestamp: '2026-01-31T12:00:00Z',
        }),
        [`.workflow/${id}/.task/IMPL-2.json`]: JSON.stringify({
          id: 'IMPL-2',
          title: EVERY_SEQUENCE,
          status: EVERY_SEQUENCE,
          meta: { type: EVERY_SEQUENCE, agent: EVERY_SEQUENCE },
          context: { depends_on: [EVERY_SEQUENCE], focus_paths: [EVERY_SEQUENCE] },
        }),
      });
      await site.run(['converse', 'run', 'talk', '--session', 'one', '--quiet']);
      for (const argv of VIEWS) {
        const { stdout, stderr } = await site.run(argv);
        mustBeHarmless(`${stdout}${stderr}`, `\`orchestrate ${argv.join(' ')}\``);
      }
      const pages = ['TODO_LIST.md', 'IMPL_PLAN.md'].map((page) => `.workflow/${id}/${page}`);
      for (const page of [...pages, '.claude/workflow_state_system.md'])
        mustBeHarmless(site.read(page), `\`${page}\``);
    },
  };
}
