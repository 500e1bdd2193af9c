/** Opens the program for an embedding one. This module is loaded by every workflow file, so it loads the program only when asked. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ImportModule } from '../modules/load-module.ts';
import type { Orchestrator, OrchestratorOptions } from './orchestrator-types.ts';

/** What the parts of the program need to know about the process they are loaded into. */
export interface Surroundings {
  /** Folder of the built program. */
  readonly dist: string;
  readonly importModule: ImportModule;
}

interface Parts {
  createLoader(name: string, reading: unknown): { load(part: string): unknown };
}

/** A part that was loaded again would have a state of its own: what it does once in a process, it would do for every call. */
const loaded = new Map<string, unknown>();

/** `url`: that of the module in the folder of the built program. */
export function loadPart<Part>(
  url: string,
  part: string,
): { readonly part: Part; readonly around: Surroundings } {
  const require = createRequire(url);
  if (!loaded.has(part)) {
    const { createLoader } = require('../bin/launch.js') as Parts;
    loaded.set(part, createLoader('orchestrate-sdk', require('../bin/orchestrate.js')).load(part));
  }
  return {
    part: loaded.get(part) as Part,
    around: { dist: fileURLToPath(new URL('.', url)), importModule: (specifier) => import(specifier) },
  };
}

export function createOrchestrator(options: OrchestratorOptions = {}): Orchestrator {
  const { part, around } = loadPart<{
    createOrchestrator(options: OrchestratorOptions, around: Surroundings): Orchestrator;
  }>(import.meta.url, 'orchestrator.cjs');
  return part.createOrchestrator(options, around);
}
