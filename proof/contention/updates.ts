/** Many processes change the same documents at once: no change is lost. */
import { must, mustEqual } from '../must.ts';
import { startMcp } from '../site/mcp.ts';
import { createSite, mustEnd, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { allEnded, startAtOnce } from './at-once.ts';

interface PhasesDocument {
  readonly status: string;
  readonly phases: readonly {
    readonly id: string;
    readonly status: string;
    readonly deliverables: readonly string[];
  }[];
}

/** Many agents end at the same moment, each in a different phase; each is reported by a hook. */
export function hooksAtOnce(count: number): Point {
  return {
    id: `hooks/${count}`,
    async check(trial) {
      const site = createSite(trial);
      const titles = Array.from({ length: count }, (_, number) => ({ title: `Part ${number}`, agent: '' }));
      site.write({ 'phases.json': JSON.stringify(titles) });
      await site.ok(['phases', 'create', 'Many parts', '--file', 'phases.json', '--quiet']);
      const started = await startAtOnce(site, {
        ...{ count, lock: 'workflow.json.lock', argv: () => ['hook', 'post-tool-use'] },
        stdin: (number) => agentEnded(number),
      });
      for (const ended of await allEnded(started)) mustEnd(ended, 0, ['hook', 'post-tool-use']);
      const document = JSON.parse(site.read('.claude/state/workflow.json')) as PhasesDocument;
      mustEqual(document.status, 'completed', 'workflow.json: status');
      for (const [number, phase] of document.phases.entries())
        mustEqual(
          [phase.status, phase.deliverables],
          ['completed', [`part-${number}.txt`]],
          `workflow.json: ${phase.id}`,
        );
      const completed = site
        .lines('.claude/state/workflow-history.jsonl')
        .map((line) => JSON.parse(line) as { readonly to: string; readonly phase?: string })
        .filter(({ to, phase }) => to === 'completed' && phase !== undefined);
      mustEqual(new Set(completed.map(({ phase }) => phase)).size, count, 'phases completed in the history');
      mustEqual(completed.length, count, 'completions in the history');
      must(!site.has('.claude/state/hook.log'), () => ({
        expected: 'no log entry',
        found: site.read('.claude/state/hook.log'),
      }));
      trial.count('hook calls at once', count);
    },
  };
}

function agentEnded(number: number): string {
  return JSON.stringify({
    ...{ hook_event_name: 'PostToolUse', session_id: 's', cwd: '.', tool_name: 'Task' },
    ...{ tool_use_id: `toolu_${number}`, tool_input: { prompt: `Phase ID: phase_${number}` } },
    tool_response: { content: [{ type: 'text', text: `Deliverables:\n- part-${number}.txt\n` }] },
  });
}

const STATUSES = ['pending', 'active', 'blocked'] as const;

/** Parallel servers, each of which changes its own task and a shared one. */
export function taskUpdates(processes: number, updates: number): Point {
  return {
    id: `tasks/${processes}x${updates}`,
    async check(trial) {
      const site = createSite(trial);
      await site.ok(['session', 'start', 'Work']);
      await site.ok(['task', 'create', '--title', 'Shared']);
      for (let number = 0; number < processes; number += 1)
        await site.ok(['task', 'create', '--title', `Own ${number}`]);
      const servers = await Promise.all(Array.from({ length: processes }, () => startMcp(site)));
      const told: string[] = [];
      await Promise.all(
        servers.map(async (server, number) => {
          const random = trial.random.fork(String(number));
          for (let turn = 0; turn < updates; turn += 1) {
            const own = turn % 2 === 0;
            const task = own ? `IMPL-${number + 2}` : 'IMPL-1';
            const status = own ? (turn % 4 === 0 ? 'active' : 'pending') : random.pick(STATUSES);
            const requirements = [`${number}/${turn}`];
            const answer = await server.call('task_update', { task, status, requirements });
            if (answer.isError) told.push(answer.text);
          }
        }),
      );
      await Promise.all(servers.map((server) => server.close()));
      mustEqual(told, [], 'errors of the updates');
      for (let number = 0; number < processes; number += 1) {
        const own = taskOf(site, number + 2);
        mustEqual(
          own.status_history.length,
          Math.ceil(updates / 2),
          `IMPL-${number + 2}: changes of its status`,
        );
        mustBeChain(site, number + 2);
      }
      mustBeChain(site, 1);
      await site.ok(['task', 'validate']);
      trial.count('updates of tasks by several processes', processes * updates);
    },
  };
}

interface TaskDocument {
  readonly status: string;
  readonly status_history: readonly { readonly from: string; readonly to: string }[];
}

function taskOf(site: Site, number: number): TaskDocument {
  return JSON.parse(site.read(`.workflow/WFS-work/.task/IMPL-${number}.json`)) as TaskDocument;
}

/** Each change starts from the result of the previous one, so none was overwritten. */
function mustBeChain(site: Site, number: number): void {
  const { status, status_history } = taskOf(site, number);
  let before = 'pending';
  for (const [index, { from, to }] of status_history.entries()) {
    mustEqual(from, before, `IMPL-${number}: start of status change ${index}`);
    before = to;
  }
  mustEqual(status, before, `IMPL-${number}: its status and its last change`);
}

/** Tasks and sessions created at the same time get different ids. */
export function creations(count: number): Point {
  return {
    id: `creations/${count}`,
    async check(trial) {
      const site = createSite(trial);
      const sessions = await startAtOnce(site, {
        ...{ count, lock: '.workflow/.lock', argv: () => ['session', 'start', 'Same topic'] },
      });
      const ids = (await allEnded(sessions)).map((ended) => {
        mustEnd(ended, 0, ['session', 'start', 'Same topic']);
        return ended.stdout.trim();
      });
      mustEqual(new Set(ids).size, count, 'ids of sessions started at once');
      mustEqual(markers(site).length, 1, 'markers of the active session');
      const tasks = await startAtOnce(site, {
        ...{ count, lock: '/.lock', argv: (number) => ['task', 'create', '--title', `Task ${number}`] },
      });
      const made = (await allEnded(tasks)).map((ended) => {
        mustEnd(ended, 0, ['task', 'create']);
        return ended.stdout.trim();
      });
      mustEqual(new Set(made).size, count, 'ids of tasks created at once');
      await site.ok(['task', 'validate']);
      const listed = JSON.parse((await site.ok(['task', 'list', '--json'])).stdout) as readonly {
        readonly title: string;
      }[];
      mustEqual(new Set(listed.map(({ title }) => title)).size, count, 'titles of the tasks');
    },
  };
}

/** However many processes switch at once, there is never a second marker. */
export function switches(count: number): Point {
  return {
    id: `switches/${count}`,
    async check(trial) {
      const site = createSite(trial);
      const ids: string[] = [];
      for (const topic of ['One', 'Two', 'Three'])
        ids.push((await site.ok(['session', 'start', topic])).stdout.trim());
      const started = await startAtOnce(site, {
        ...{ count, lock: '.workflow/.lock', argv: () => ['session', 'switch', trial.random.pick(ids)] },
      });
      let most = 0;
      let done = false;
      const ended = allEnded(started).finally(() => (done = true));
      while (!done) {
        most = Math.max(most, markers(site).length);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const one of await ended) mustEnd(one, 0, ['session', 'switch']);
      must(most <= 1, () => ({ expected: 'at most one marker at any moment', found: `${most}` }));
      mustEqual(markers(site).length, 1, 'markers afterwards');
      const statuses = ids.map(
        (id) => (JSON.parse(site.read(`.workflow/${id}/workflow-session.json`)) as TaskDocument).status,
      );
      mustEqual(statuses.filter((status) => status === 'active').length, 1, 'sessions with status active');
    },
  };
}

function markers(site: Site): readonly string[] {
  return site.list('.workflow').filter((name) => name.startsWith('.active-'));
}
