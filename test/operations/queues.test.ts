import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindOf } from '../../src/operations/problem.ts';
import { finishTask } from '../../src/operations/queues/finish-task.ts';
import { listQueue } from '../../src/operations/queues/list-queue.ts';
import { putInQueue } from '../../src/operations/queues/put-in-queue.ts';
import { readTaken, takeFromQueue } from '../../src/operations/queues/take-from-queue.ts';
import { readStatus } from '../../src/operations/statuses/read-status.ts';
import { validateStatuses } from '../../src/operations/statuses/validate-statuses.ts';
import { writeStatus } from '../../src/operations/statuses/write-status.ts';
import { temporarySite } from './site.ts';

describe('operations on queues', () => {
  it('put, list, take, read and finish tasks', () => {
    const site = temporarySite();
    expect(takeFromQueue(site, { agent: 'qa' })).toEqual({ type: 'ok', value: undefined });
    const put = putInQueue(site, { agent: 'qa', contents: { text: 'test the login' } });
    expect(listQueue(site, {})).toEqual({ type: 'ok', value: put.type === 'ok' ? [put.value] : put });
    const taken = takeFromQueue(site, { agent: 'qa' });
    if (taken.type === 'error' || taken.value === undefined) throw new Error('no task was taken');
    expect(listQueue(site, { taken: true })).toEqual({ type: 'ok', value: [taken.value] });
    expect(readTaken(site, taken.value)).toEqual({ type: 'ok', value: 'test the login' });
    const done = finishTask(site, { task: taken.value.path, as: 'done' });
    expect(done).toEqual({
      type: 'ok',
      value: { path: `processed/20260131T120000Z/${taken.value.name}` },
    });
  });

  it.each([
    ['an agent with no name for a folder', { agent: '../x', contents: { text: 'x' } }, 'invalid'],
    ['a missing file', { agent: 'qa', contents: { file: 'none' } }, 'failed'],
    ['a missing workflow', { agent: 'qa', contents: { text: 'x' }, workflow: 'a.yaml' }, 'invalid'],
  ] as const)('report the kind of a refusal: %s', (_, given, kind) => {
    const refused = putInQueue(temporarySite(), given);
    expect(refused.type === 'error' ? kindOf(refused.error) : refused).toBe(kind);
  });
});

describe('operations on statuses', () => {
  it('write a readable status, with step and run from the environment of a step', () => {
    const outside = temporarySite();
    const site = {
      ...outside,
      environment: { ...outside.environment, ORCHESTRATE_STEP: 'Test', ORCHESTRATE_RUN_ID: 'r1' },
    };
    const file = 'artifacts/qa/status.json';
    expect(writeStatus(outside, { agent: 'qa', success: true })).toMatchObject({
      error: { type: 'no-step-named' },
    });
    expect(writeStatus(site, { agent: 'qa', success: false, metrics: { files: 3 } })).toEqual({
      type: 'ok',
      value: { file },
    });
    const expected = {
      ...{ schema: 'status/v1', agent: 'qa', run_id: 'r1', step: 'Test' },
      ...{ timestamp: '2026-01-31T12:00:00.000Z', success: false, exit_code: 1 },
      ...{ outputs: [], metrics: { files: 3 }, next_actions: [] },
    };
    expect(readStatus(site, { file })).toEqual({ type: 'ok', value: expected });
  });

  it('report every fault with its location', () => {
    const site = temporarySite();
    fs.writeFileSync(path.join(site.workspace, 's.json'), '{\n  "schema": "status/v1",\n  "agent": 7\n}\n');
    const validated = validateStatuses(site, { files: ['s.json', 'none.json'] });
    const [first, second] = validated.type === 'ok' ? validated.value : [];
    expect(first?.faults).toContainEqual({ path: 'agent', line: 3, column: 12, message: 'must be a text' });
    expect(first?.faults).toContainEqual({ path: 'step', line: 1, column: 1, message: 'is missing' });
    expect(second?.faults).toMatchObject([{ message: expect.stringMatching(/^cannot be read: /) }]);
    expect(
      writeStatus(site, { agent: 'qa', step: 'Test', success: true, outputs: ['../a', 'b', '/c'] }),
    ).toMatchObject({
      error: { type: 'invalid-status', faults: [{ path: 'outputs[0]' }, { path: 'outputs[2]' }] },
    });
  });
});
