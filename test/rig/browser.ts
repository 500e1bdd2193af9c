/**
 * A real Chromium for the tests of the page. It is found on PATH; on a machine without one it is installed from Debian's packages. No browser is
 * downloaded. `ORCHESTRATE_CHROMIUM` names another one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':');
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) =>
    fs.existsSync(file),
  );
}

export function findChromium(): string {
  const named = process.env['ORCHESTRATE_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const found = onPath();
  if (found !== undefined) return found;
  const installed = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
    encoding: 'utf8',
  });
  const now = onPath();
  if (now === undefined)
    throw new Error(
      `the tests of the page need Chromium: install \`chromium\`, or name one in ORCHESTRATE_CHROMIUM\n${installed.stderr}`,
    );
  return now;
}

let started: Promise<Browser> | undefined;

export function browser(): Promise<Browser> {
  started ??= (async () => {
    const executablePath = findChromium();
    const version = execFileSync(executablePath, ['--version'], { encoding: 'utf8' }).trim();
    console.info(`browser: ${version} (${executablePath})`);
    return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  })();
  return started;
}

afterAll(async () => {
  await (await started)?.close();
  started = undefined;
});

/** A browser of its own, as one person has it. Nothing may be printed to its console. */
export async function person(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await browser()).newContext({ viewport: { width: 1440, height: 900 }, ...options });
  onTestFinished(() => context.close());
  return context;
}

/** A tab on which every message of the console and every uncaught error fails the test, except those that match. */
export async function openTab(context: BrowserContext, url: string, allowed = /$^/): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const said: string[] = [];
  page.on('console', (message) =>
    said.push(`${message.type()}: ${message.text()} ${message.location().url}`),
  );
  page.on('pageerror', (problem) => said.push(`uncaught: ${problem.message}`));
  onTestFinished(() => {
    expect(said.filter((line) => !allowed.test(line))).toEqual([]);
  });
  await page.goto(url);
  return page;
}
