import { describe, expect, it } from 'vitest';
import { httpDelivery } from '../../src/notify/http-delivery.ts';
import { renderNotice } from '../../src/notify/render-notice.ts';
import { notifyTarget, renderRequest } from '../../src/notify/render-request.ts';
import { Sender } from '../../src/notify/sender.ts';
import { isWanted } from '../../src/notify/subscription.ts';
import { until } from '../rig/orchestrate.ts';
import { startHttpTarget } from './http-target.ts';

describe('the target of notifications', () => {
  it.each([
    ['https://ntfy.sh/x', 'ntfy', 'https://ntfy.sh/x', 'ntfy'],
    ['https://example.org/hook', 'json', 'https://example.org/hook', 'json'],
    ['slack://T0/B0/secret', 'ntfy', 'https://hooks.slack.com/services/T0/B0/secret', 'slack'],
    ['slack://hooks.slack.com/services/T/B/s', 'ntfy', 'https://hooks.slack.com/services/T/B/s', 'slack'],
    ['discord://123/token', 'ntfy', 'https://discord.com/api/webhooks/123/token', 'discord'],
    ['discord://127.0.0.1:9/hook', 'ntfy', 'http://127.0.0.1:9/hook', 'discord'],
  ] as const)('%s as %s is %s', (given, format, url, expected) => {
    expect(notifyTarget(given, format)).toEqual({ type: 'ok', value: { url, format: expected } });
  });

  it.each(['ntfy.sh/x', 'ftp://x', 'http://', ''])('rejects %s', (given) => {
    expect(notifyTarget(given, 'ntfy').type).toBe('error');
  });
});

describe('subscriptions', () => {
  it.each([
    ['completion', { type: 'verification', status: 'pass' }, false],
    ['error', { type: 'ended', iterations: 2, maxIterations: 2 }, true],
    ['completion', { type: 'ended', iterations: 2, maxIterations: 2 }, false],
    ['completion', { type: 'verification', status: 'fail' }, false],
    ['error', { type: 'verification', status: 'needs_review' }, true],
    ['error', { type: 'usage_limit', waits: 'an hour' }, true],
    ['status_update', { type: 'usage_limit', waits: 'an hour' }, true],
    ['iteration', { type: 'usage_limit', waits: 'an hour' }, false],
    ['setup_complete', { type: 'setup_complete' }, true],
    ['all', { type: 'setup_complete' }, true],
  ] as const)('to %s receive %o: %s', (wanted, notice, isSent) => {
    expect(isWanted([wanted], notice)).toBe(isSent);
  });
});

describe('the text of a notification', () => {
  const status = { type: 'status_update', iteration: 7, complete: false } as const;

  it.each([
    [
      { progress: { completed: 35, total: 60 }, completedDelta: 5, summary: 'Migrated' },
      '35/60 items (+5) - Migrated',
    ],
    [{ progress: { completed: 3, total: 60 }, completedDelta: -2 }, '3/60 items (-2)'],
    [{ progress: { completed: 3, total: 60 }, completedDelta: 0 }, '3/60 items'],
    [{ completedDelta: 0, summary: 'Working' }, 'Working'],
  ])('has progress in one line: %o', (given, line) => {
    const message = renderNotice('ws', { ...status, ...given });
    expect(message).toMatchObject({ title: '[ws] Progress Update (Iteration 7)', priority: 'default' });
    expect(message.body).toBe(`STATUS UPDATE\n\n${line}`);
  });

  it('says when the task is complete', () => {
    const message = renderNotice('ws', { ...status, complete: true, completedDelta: 0, summary: 'All' });
    expect(message.body).toBe('STATUS UPDATE\n\nAll\n✅ Complete!');
  });

  it('encodes non-ASCII text in headers as in mail', () => {
    const message = { ...renderNotice('ws', { type: 'setup_complete' }), title: 'Für dich' };
    const { headers } = renderRequest({ url: 'http://x', format: 'ntfy' }, message);
    expect(headers['Title']).toBe('=?UTF-8?B?RsO8ciBkaWNo?=');
  });

  it("is truncated to Discord's limit", () => {
    const message = { ...renderNotice('ws', { type: 'setup_complete' }), body: 'x'.repeat(5000) };
    const { body } = renderRequest({ url: 'http://x', format: 'discord' }, message);
    expect((JSON.parse(body) as { content: string }).content).toHaveLength(2000);
  });
});

describe('sending', () => {
  const notice = renderNotice('ws', { type: 'completion', iterations: 3, stopReason: 'complete' });

  it('sends in order', async () => {
    const target = await startHttpTarget();
    const problems: string[] = [];
    const sender = new Sender({
      delivery: httpDelivery({ url: target.url, format: 'ntfy' }),
      onProblem: (each) => problems.push(each),
    });
    for (let number = 1; number <= 20; number += 1) sender.send({ ...notice, body: `${number}` });
    await sender.drain(10_000);
    expect(target.received.map(({ body }) => Number(body))).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(problems).toEqual([]);
  });

  it('reports a rejecting service once, and continues', async () => {
    const target = await startHttpTarget(500);
    const problems: string[] = [];
    const sender = new Sender({
      delivery: httpDelivery({ url: target.url, format: 'json' }),
      onProblem: (each) => problems.push(each),
    });
    sender.send(notice);
    sender.send(notice);
    await sender.drain(10_000);
    expect(target.received).toHaveLength(2);
    expect(problems).toEqual([`cannot notify ${target.url}: the service answered HTTP 500`]);
  });

  it('does not wait for a service that does not answer', async () => {
    const target = await startHttpTarget('silent');
    const problems: string[] = [];
    const sender = new Sender({
      delivery: httpDelivery({ url: target.url, format: 'json' }),
      onProblem: (each) => problems.push(each),
    });
    sender.send(notice);
    await sender.drain(20);
    await until(() => problems.length > 0);
    expect(problems).toEqual([`cannot notify ${target.url}: timed out`]);
  });
});
