/**
 * The page of `orchestrate serve` in a real Chromium: how long until it shows fifty runs, how long from a record of the journal to the screen,
 * how smooth it stays, how large it is.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { row } from './measure.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

const WEB = path.join(path.dirname(ORCHESTRATE), '..', 'dist', 'web');
const RUNS = 50;

export async function page({ quick }) {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    console.warn('page: not measured, because there is no Chromium');
    return [];
  }
  return inFolder(async (folder) => {
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    await fillWorkspace(folder);
    const server = await serve(folder);
    try {
      const paint = await firstPaint(browser, server, quick ? 5 : 20);
      const live = await fromRecordToPixel(browser, server, { folder, steps: quick ? 20 : 100 });
      const frames = await framesDuring(browser, server, { folder, seconds: quick ? 3 : 10 });
      return [
        row(`first paint of ${RUNS} runs, x a static page with the same rows`, paint.ratio, 2.5),
        row('from a record of the journal to the screen, ms, half of them', percentile(live, 0.5), 50),
        row('from a record of the journal to the screen, ms, 95 %', percentile(live, 0.95), 150),
        row('time between frames at 100 events a second, 95 %, x an empty page', frames.ratio, 2),
        row('nodes of the page', Math.max(paint.nodes, frames.nodes), 3000),
        row('scripts of the first screen, KB (gzip)', zippedKb(['app.js']), 40),
        row(
          'all scripts, KB (gzip)',
          zippedKb(fs.readdirSync(WEB).filter((name) => name.endsWith('.js'))),
          90,
        ),
      ];
    } finally {
      server.child.kill('SIGKILL');
      await browser.close();
    }
  });
}

function findChromium() {
  const named = process.env.ORCHESTRATE_CHROMIUM;
  if (named) return named;
  const folders = (process.env.PATH ?? '').split(':');
  return ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
    .flatMap((name) => folders.map((each) => path.join(each, name)))
    .find((file) => fs.existsSync(file));
}

async function fillWorkspace(folder) {
  const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
  write(
    'steps.yaml',
    'name: steps\nsteps:\n  - { name: A, command: ["true"] }\n  - { name: B, command: ["true"] }\n  - { name: C, command: ["true"] }\n',
  );
  write('wait.sh', 'sleep "$1"\n');
  for (let run = 0; run < RUNS; run += 1) await orchestrate(folder, ['run', 'steps.yaml', '--quiet']).ended;
}

function orchestrate(cwd, argv) {
  const child = spawn(process.execPath, [ORCHESTRATE, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  return { child, ended };
}

async function serve(folder) {
  const { child } = orchestrate(folder, ['serve', '--port', '0', '--json', '--no-keep']);
  const line = await new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
  });
  const { url, port, token } = JSON.parse(line);
  const headers = { authorization: `Bearer ${token}` };
  const { workspaces } = await (
    await fetch(`http://127.0.0.1:${port}/api/v1/workspaces`, { headers })
  ).json();
  return { child, url, base: `http://127.0.0.1:${port}/w/${workspaces[0].id}` };
}

/** When the rows were on the screen, in ms since the navigation began. */
const WATCH_ROWS = (wanted) => {
  const look = () => {
    if (document.querySelectorAll('.trw').length < wanted) return;
    observer.disconnect();
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.paintedAt = performance.now();
      }),
    );
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true });
};

async function firstPaint(browser, server, rounds) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(WATCH_ROWS, RUNS);
  const tab = await context.newPage();
  await tab.goto(server.url);
  await tab.waitForFunction(() => window.paintedAt !== undefined);
  const nodes = await tab.evaluate(() => document.querySelectorAll('*').length);
  const html = await tab.evaluate(() => document.documentElement.outerHTML);
  const plain = await staticServer(html.replace(/<script[^>]*><\/script>/g, ''));
  const once = async (url) => {
    await tab.goto(url);
    await tab.waitForFunction(() => window.paintedAt !== undefined);
    return tab.evaluate(() => window.paintedAt);
  };
  const ratios = [];
  for (let round = 0; round < rounds; round += 1) {
    const bare = await once(plain.url);
    ratios.push((await once(`${server.base}/runs`)) / bare);
  }
  plain.close();
  await context.close();
  return { ratio: percentile(ratios, 0.5), nodes };
}

/** The same rows, style and fonts, without a script. */
async function staticServer(html) {
  const types = { '.css': 'text/css', '.woff2': 'font/woff2', '.svg': 'image/svg+xml' };
  const server = http.createServer((request, response) => {
    const name = path.basename(request.url ?? '/');
    const type = types[path.extname(name)];
    response.writeHead(200, {
      'content-type': type ?? 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(type === undefined ? html : fs.readFileSync(path.join(WEB, name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const WATCH_STEPS = () => {
  window.shownAt = {};
  const look = () => {
    const fresh = [...document.querySelectorAll('[data-status=completed]')]
      .map((node) => node.getAttribute('data-key'))
      .filter((key) => window.shownAt[key] === undefined);
    if (fresh.length === 0) return;
    for (const key of fresh) window.shownAt[key] = 0;
    requestAnimationFrame(() =>
      setTimeout(() => {
        for (const key of fresh) window.shownAt[key] = Date.now();
      }),
    );
  };
  new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
};

/** In ms, for every step after the first ones. */
async function fromRecordToPixel(browser, server, { folder, steps }) {
  const items = Array.from({ length: steps }, (_, index) => index).join(', ');
  fs.writeFileSync(
    path.join(folder, 'slowly.yaml'),
    `name: slowly\nsteps:\n  - name: Each\n    for_each:\n      items: [${items}]\n      steps: [{ name: Wait, command: [sh, wait.sh, "0.15"] }]\n`,
  );
  const before = new Set(runIds(folder));
  const run = orchestrate(folder, ['run', 'slowly.yaml', '--quiet']);
  const runId = await newRun(folder, before);
  const context = await browser.newContext({ viewport: { width: 1440, height: 1600 } });
  await context.addInitScript(WATCH_STEPS);
  const tab = await context.newPage();
  await tab.goto(`${server.base}/runs/${runId}${new URL(server.url).hash}`);
  await tab.locator('[data-key="Each/2/Wait"]').waitFor();
  const from = Date.now();
  await run.ended;
  await tab.locator('[data-key="Each"][data-status=completed]').waitFor();
  const shown = await tab.evaluate(() => window.shownAt);
  await context.close();
  return journalOf(folder, runId)
    .filter(({ type, key, at }) => type === 'step-ended' && shown[key] > 0 && Date.parse(at) > from)
    .map(({ key, at }) => shown[key] - Date.parse(at));
}

const FRAMES = (ms) =>
  new Promise((resolve) => {
    const gaps = [];
    const start = performance.now();
    let last = start;
    const frame = (now) => {
      gaps.push(now - last);
      last = now;
      if (now - start < ms) requestAnimationFrame(frame);
      else resolve(gaps.slice(1));
    };
    requestAnimationFrame(frame);
  });

async function framesDuring(browser, server, { folder, seconds }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const empty = await context.newPage();
  await empty.goto('about:blank');
  const bare = percentile(await empty.evaluate(FRAMES, seconds * 1000), 0.95);
  await empty.close();
  // Each step has three records, so about 33 of them a second make a hundred events.
  const items = Array.from({ length: (seconds + 4) * 33 }, (_, index) => index).join(', ');
  fs.writeFileSync(
    path.join(folder, 'quickly.yaml'),
    `name: quickly\nsteps:\n  - name: Each\n    for_each:\n      items: [${items}]\n      max_parallel: 4\n      steps: [{ name: Wait, command: [sh, wait.sh, "0.12"] }]\n`,
  );
  const before = new Set(runIds(folder));
  const run = orchestrate(folder, ['run', 'quickly.yaml', '--quiet']);
  const runId = await newRun(folder, before);
  const tab = await context.newPage();
  await tab.goto(`${server.base}/runs/${runId}${new URL(server.url).hash}`);
  await tab.locator('[role=treeitem]').first().waitFor();
  const busy = percentile(await tab.evaluate(FRAMES, seconds * 1000), 0.95);
  const nodes = await tab.evaluate(() => document.querySelectorAll('*').length);
  run.child.kill('SIGKILL');
  await run.ended;
  await context.close();
  return { ratio: busy / bare, nodes };
}

function runIds(folder) {
  return fs.readdirSync(path.join(folder, '.orchestrate', 'runs')).filter((name) => !name.startsWith('.'));
}

async function newRun(folder, before) {
  for (;;) {
    const found = runIds(folder).find((id) => !before.has(id));
    if (found !== undefined && journalOf(folder, found).length > 2) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function journalOf(folder, runId) {
  const file = path.join(folder, '.orchestrate', 'runs', runId, 'journal.jsonl');
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line));
}

function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function zippedKb(names) {
  return (
    names.reduce(
      (sum, name) => sum + gzipSync(fs.readFileSync(path.join(WEB, name)), { level: 9 }).length,
      0,
    ) / 1024
  );
}
