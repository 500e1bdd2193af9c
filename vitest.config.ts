import { defineConfig } from 'vitest/config';
import LongestFirst from './test/rig/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Cases with links that lead in circles; never tests of their own.
    exclude: ['**/node_modules/**', 'test/workflows/**'],
    globalSetup: ['test/rig/own-home.ts', 'test/rig/postgres/for-run.ts'],
    reporters: ['default', './test/rig/skipped.ts', './test/rig/flaky.ts'],
    pool: 'forks',
    // Twice as many as the cores they need: most tests wait for processes they started.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // At a desk a flaky test fails. In CI it is tried once more, and named at the end if that helped.
    retry: process.env['CI'] === undefined ? 0 : 1,
    testTimeout: 60_000,
    // As long as a browser waits for what a test names.
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 60_000,
  },
});
