/** Workflows and addresses that the tests of the page share. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { RunningPage } from '../rig/page-server.ts';

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A server that was killed, an answer that came too late: the browser itself prints these. */
export const REFUSED = /Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE/;

/** Asks a question between two commands. */
export const ASKS =
  'name: ask\nsteps:\n  - name: Build\n    command: [echo, built]\n  - name: Release\n    approve: { message: "Ship it?", choices: [ship, hold] }\n  - name: Publish\n    command: [echo, published]\n';
/** Each of four items waits for a file: `go-a` to `go-d`. */
export const SLOW =
  'name: slow\nsteps:\n  - name: Each\n    for_each:\n      items: [a, b, c, d]\n      as: x\n      steps:\n        - name: Wait\n          command: [bash, -c, "until test -e \\"go-$1\\"; do sleep 0.01; done; echo done $1", x, "${x}"]\n';

export function runAddress({ url, ws }: RunningPage, runId: string): string {
  return url.replace('/#', `/w/${ws.split('/').at(-1)}/runs/${runId}#`);
}

export function screenAddress({ url, ws }: RunningPage, screen: string): string {
  return url.replace('/#', `/w/${ws.split('/').at(-1)}/${screen}#`);
}

export async function statusOf(page: Page, key: string): Promise<string | null> {
  return page.locator(`[data-key="${key}"]`).getAttribute('data-status');
}

/** What axe finds on the page; its context must have been opened with `bypassCSP`. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}
