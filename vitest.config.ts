import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Cases with links that lead in circles; never tests of their own.
    exclude: ['**/node_modules/**', 'test/workflows/**'],
    globalSetup: 'test/rig/own-home.ts',
    reporters: ['default', './test/rig/skipped.ts'],
    pool: 'forks',
    // Most tests wait for processes they started.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
