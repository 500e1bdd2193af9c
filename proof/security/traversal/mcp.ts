/** Names that lead out of the workspace, given to every tool and resource of `orchestrate mcp`. */
import { must, shortened } from '../../must.ts';
import { type McpAnswer, startMcp } from '../../site/mcp.ts';
import type { Point } from '../../suite.ts';
import { createFenced, type Fenced, mustNotHold, SENTINEL } from '../outside.ts';
import { furnish, namesLeadingOut } from './leading-out.ts';

/** Every tool that takes a name, with a placeholder for it. */
function callsWith(name: string): readonly (readonly [tool: string, given: object])[] {
  return [
    ['run_get', { run: name }],
    ['run_approve', { run: name, step: 'x', choice: 'yes' }],
    ['run_approve', { run: 'last', step: name, choice: 'yes' }],
    ['task_get', { task: name }],
    ['task_get', { task: 'IMPL-1', session: name }],
    ['task_update', { task: name, status: 'active' }],
    ['task_update', { task: 'IMPL-1', session: name, title: 'x' }],
    ['task_list', { session: name }],
    ['queue_put', { agent: name, text: 'x' }],
    ['queue_put', { agent: name, task: 'x', content: 'x' }],
    ['queue_take', { agent: name }],
    ['queue_done', { task: `${name}/secret.task` }],
    ['queue_fail', { task: `${name}/secret.task` }],
    ['phase_start', { phase: name }],
    ['phase_complete', { phase: name }],
    ['status_write', { workspace: name, complete: true }],
  ];
}

function resourcesWith(name: string): readonly string[] {
  return [
    `orchestrate://runs/${name}`,
    `orchestrate://tasks/${name}`,
    `file://${name}/secret.txt`,
    `orchestrate://phases/${name}/secret.md`,
  ];
}

export function mcpPoint(): Point {
  return {
    id: 'traversal/mcp',
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      await furnish(fenced);
      await site.ok(['phases', 'start', '--json']);
      const server = await startMcp(site);
      for (const name of namesLeadingOut(fenced)) {
        for (const [tool, given] of callsWith(name))
          mustAnswerSafely(fenced, await server.call(tool, given), `${tool} ${JSON.stringify(given)}`);
        for (const uri of resourcesWith(name))
          mustAnswerSafely(fenced, await server.ask('resources/read', { uri }), uri);
      }
      await server.close();
      mustNotHold(site, SENTINEL);
    },
  };
}

function mustAnswerSafely(fenced: Fenced, { text }: McpAnswer, what: string): void {
  must(!text.includes(SENTINEL) && text !== 'the server has ended', () => ({
    expected: `${what} to be refused`,
    found: shortened(text),
  }));
  fenced.mustBeUntouched(what);
}
