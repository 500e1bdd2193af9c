/**
 * The programs in code that run in this process. An error that nothing caught, or a wait that never ends, belongs to one of them
 * (`host/code/guard-process.ts`).
 */
import type { Execution } from './execution.ts';

export const runningPrograms = new Set<Execution>();
