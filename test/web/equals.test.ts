/** The page shows what `show --json` and `explain --json` print, for every example. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { durationText, spendingText, stepCostText } from '../../src/model/amounts.ts';
import type { RunState, StateSteps, StepState } from '../../src/model/run-state.ts';
import { openTab, person } from '../rig/browser.ts';
import { copyExample, EXAMPLE_NAMES, playExample } from '../rig/example.ts';
import { servePage } from '../rig/page-server.ts';
import { runAddress } from './site.ts';

interface Shown {
  readonly key: string;
  readonly status: string;
  readonly cost: string;
  readonly took: string;
}

/** The last visit of every step, by its key without the number of the visit. */
function stepsIn(steps: StateSteps, prefix = ''): readonly (readonly [path: string, step: StepState])[] {
  return Object.entries(steps).flatMap(([name, value]) => {
    const at = `${prefix}${name}`;
    if (Array.isArray(value)) return value.flatMap((inner, index) => stepsIn(inner, `${at}/${index}/`));
    const { iterations = [], branches = {}, steps: inner = {} } = value;
    return [
      ...(iterations.length + Object.keys(branches).length + Object.keys(inner).length === 0
        ? [[at, value] as const]
        : []),
      ...iterations.flatMap((each, index) => stepsIn(each, `${at}/${index}/`)),
      ...Object.entries(branches).flatMap(([branch, each]) => stepsIn(each, `${at}/${branch}/`)),
      ...stepsIn(inner, `${at}/`),
    ];
  });
}

async function rowsOf(page: Page): Promise<ReadonlyMap<string, Shown>> {
  const rows: readonly Shown[] = await page.locator('[role=treeitem]').evaluateAll((nodes) =>
    nodes.map((node) => ({
      key: node.getAttribute('data-key') ?? '',
      status: node.getAttribute('data-status') ?? '',
      cost: node.children[1]?.textContent ?? '',
      took: node.children[2]?.textContent ?? '',
    })),
  );
  // In the order of their start: later visits replace earlier ones.
  return new Map(rows.map((row) => [row.key.replace(/#\d+/g, ''), row]));
}

/** In a graph a task is a branch of its own name. */
function keysOf(path: string): readonly string[] {
  return [path, path.replace(/(^|\/)([^/]+)\/\2$/, '$1$2')];
}

function expected(step: StepState): Omit<Shown, 'key'> {
  const { status, duration_ms: took } = step;
  return {
    status,
    cost:
      step.cost_usd === undefined
        ? ''
        : (stepCostText(step as Parameters<typeof stepCostText>[0]) ?? '').replace('cost unknown', 'unknown'),
    took: took === undefined || status === 'skipped' ? '' : durationText(took),
  };
}

describe('tree, totals and reasons are those of the commands', () => {
  it.each(EXAMPLE_NAMES)('%s', async (name) => {
    const example = copyExample(name);
    await playExample(example);
    const { workspace } = example;
    const runId = workspace.runs().at(-1) ?? '';
    const shown: RunState = JSON.parse((await workspace.run(['show', runId, '--json'])).stdout);
    const explained: readonly {
      readonly key: string;
      readonly reasons: readonly { readonly message: string }[];
    }[] = JSON.parse((await workspace.run(['explain', runId, '--json'])).stdout);
    const server = await servePage(workspace);
    const context = await person({ viewport: { width: 1600, height: 3000 } });
    const page = await openTab(context, runAddress(server, runId).replace('#', '?tab=why#'));
    await page.locator('.head h1', { hasText: shown.title }).waitFor();
    await page.locator('[role=treeitem][data-key]').first().waitFor();
    const rows = await rowsOf(page);
    const steps = stepsIn(shown.steps);
    expect(steps.length).toBeGreaterThan(0);
    for (const [path, step] of steps) {
      const row = keysOf(path)
        .map((key) => rows.get(key))
        .find((found) => found !== undefined);
      expect({ path, ...row, key: undefined }).toEqual({ path, ...expected(step), key: undefined });
    }
    const facts = await page.locator('.facts').textContent();
    const { totals } = shown;
    for (const [count, word] of [
      [totals.steps_completed, 'done'],
      [totals.steps_failed, 'failed'],
      [totals.steps_skipped, 'skipped'],
    ] as const)
      if (count > 0) expect(facts).toContain(`${count} ${word}`);
    const cost = spendingText(totals);
    if (cost !== undefined) expect(facts).toContain(`${cost} for ${totals.agent_calls} agent call`);
    expect(facts).toContain(`worked ${durationText(shown.duration_ms)}`);
    for (const { key, reasons } of explained.filter((each) => each.key !== '')) {
      const row = page.locator(`[role=treeitem][data-key="${key}"]`);
      // What only the program itself did, such as reading the clock, is no row.
      if ((await row.count()) === 0) continue;
      await row.click();
      await page.locator(`.pane[aria-label="Step ${key}"] .why`).waitFor();
      await page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('.why li > span:last-child')]
            .map((node) => node.textContent)
            .join('\n') === wanted,
        reasons.map(({ message }) => message.replaceAll('`', '')).join('\n'),
      );
    }
  });
});
