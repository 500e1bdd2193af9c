/** A complete HTTP interface in forty lines: list, show and approve. It makes no decisions; the operations do. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { ProblemKind } from '../../src/model/problem-form.ts';
import type { Result } from '../../src/model/result.ts';
import type { Problem } from '../../src/operations/problem.ts';
import { problemData } from '../../src/operations/problem-data.ts';
import { type AnswerInput, answerQuestion } from '../../src/operations/runs/answer-question.ts';
import { readRun } from '../../src/operations/runs/read-run.ts';
import { selectRuns, summaryOf } from '../../src/operations/runs/select-runs.ts';
import type { Site } from '../../src/operations/site.ts';
import { createTrustBook } from '../../src/operations/trust-book.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { NO_MODULES } from './site.ts';

const STATUS: { readonly [Kind in ProblemKind]: number } = {
  ...{ 'not-found': 404, invalid: 400, conflict: 409, held: 423, failed: 500 },
};

function createServer(site: Site): http.Server {
  return http.createServer(async (request, response) => {
    const [, , run, action] = (request.url ?? '').split('/');
    const give = <Value>(result: Result<Value, Problem>, shown: (value: Value) => unknown): void => {
      const isOk = result.type === 'ok';
      const problem = isOk
        ? undefined
        : problemData(result.error, ({ operation }) => `the button ${operation}`);
      const status = problem === undefined ? 200 : STATUS[problem['kind'] as ProblemKind];
      const body = isOk ? shown(result.value) : { problem };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (run === undefined) return give(selectRuns(site, { limit: 50 }), ({ found }) => found.map(summaryOf));
    if (action !== 'answers')
      return give(readRun(site, run), ({ state, isAlive }) => ({ ...state, process_alive: isAlive }));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = JSON.parse(Buffer.concat(chunks).toString()) as Omit<AnswerInput, 'run'>;
    return give(answerQuestion(site, { ...answer, run }), (answered) => answered);
  });
}

const ASKS = 'name: ask\nsteps:\n  - name: Release\n    approve: { message: "?", choices: [yes, no] }\n';

it('lists, shows and answers, and words refusals for its own users', async () => {
  const workspace = new Workspace({ 'ask.yaml': ASKS });
  await workspace.run(['run', 'ask.yaml', '--quiet']);
  const [runId = ''] = workspace.runs();
  const server = createServer({
    workspace: workspace.folder,
    environment: { HOME: workspace.folder },
    asker: 'user',
    trust: createTrustBook({ HOME: workspace.folder }),
    modules: NO_MODULES,
    now: () => new Date(),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, body?: object) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${at}/${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  expect(await ask('runs')).toMatchObject({ status: 200, body: [{ run_id: runId, status: 'waiting' }] });
  expect(await ask(`runs/${runId}`)).toMatchObject({ status: 200, body: { waiting_for: { Release: {} } } });
  expect(await ask('runs/2020')).toEqual({
    status: 404,
    body: {
      problem: {
        kind: 'not-found',
        type: 'no-such-run',
        asked: '2020',
        near: [],
        newest: [runId],
        message: 'run `2020` not found',
        help: `newest runs: \`${runId}\`; the button list-runs lists all`,
      },
    },
  });
  expect(await ask(`runs/${runId}/answers`, { question: 'Release', choice: 'maybe' })).toMatchObject({
    status: 400,
    body: { problem: { kind: 'invalid', type: 'no-such-choice', choices: ['yes', 'no'] } },
  });
  const answer = { question: 'Release', choice: 'yes' };
  expect(await ask(`runs/${runId}/answers`, answer)).toMatchObject({
    status: 200,
    body: { runId, key: 'Release', isTakenUp: false },
  });
  expect(await ask(`runs/${runId}/answers`, answer)).toMatchObject({
    status: 409,
    body: { problem: { type: 'already-answered' } },
  });
  expect((await workspace.run(['resume', runId, '--quiet'])).exitCode).toBe(0);
});
