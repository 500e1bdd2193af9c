/** `npm run test:quick`: what can be waited for after every save. `npm test` runs everything. */
import { defineConfig, mergeConfig } from 'vitest/config';
import everything from '../vitest.config.ts';

/** Whole folders: real CLIs, samples of the proof, first starts of the program, real browsers. */
const SLOW_FOLDERS = ['real-clis', 'editor', 'proof', 'start-up', 'web'];
/** Files that took more than six seconds. */
const SLOW_FILES = [
  'cli/colour',
  'cli/completion',
  'cli/detach',
  'cli/leading-elsewhere',
  'cli/workspace',
  'converse/durability',
  'converse/own-tools',
  'converse/sessions',
  'converse/tools',
  'demo',
  'docs',
  'effects/worktree',
  'examples',
  'http/api',
  'http/guard',
  'iterate/archive-bombs',
  'iterate/config-layers',
  'iterate/durability',
  'iterate/git',
  'iterate/kept-options',
  'iterate/night',
  'iterate/notifications',
  'iterate/queue',
  'iterate/run',
  'iterate/run-failures',
  'iterate/trust',
  'keeper/reboot',
  'notify/runs',
  'package/code-cache',
  'package/installed',
  'phases/agent-ends',
  'phases/commands',
  'phases/run',
  'phases/settings',
  'process/run-process',
  'session/close',
  'session/execute',
  'session/feature',
  'session/git',
  'session/live',
  'session/original',
  'session/pre-analysis',
  'session/race',
  'session/real-feature',
  'session/task-index',
  'store/journal-file',
  'store/lock',
  'workflow/blocks/graph',
  'workflow/blocks/results',
  'workflow/budget',
  'workflow/interrupted-calls',
  'workflow/isolate',
  'workflow/kill-and-resume',
  'workflow/kill-flow',
  'workflow/load/hostile-files',
  'workflow/resume',
  'workflow/timeouts',
];

export default mergeConfig(
  everything,
  defineConfig({
    test: {
      exclude: [
        'test/**/real-*.test.ts',
        ...SLOW_FOLDERS.map((folder) => `test/${folder}/**`),
        ...SLOW_FILES.map((file) => `test/${file}.test.ts`),
      ],
    },
  }),
);
