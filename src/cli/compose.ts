/** Where the parts are put together: the one place that knows every effect and every program. */
import { join } from 'node:path';
import { archiveFolder } from '../effects/archive-folder.ts';
import { createCheckProof } from '../effects/check-proof.ts';
import type { EffectMap } from '../effects/contracts.ts';
import { emptyFolder } from '../effects/empty-folder.ts';
import { findFilesEffect } from '../effects/find-files.ts';
import { moveFile } from '../effects/move-file.ts';
import { note } from '../effects/note.ts';
import { readCache } from '../effects/read-cache.ts';
import { readFile } from '../effects/read-file.ts';
import { type CassetteUse, createRunAgent } from '../effects/run-agent.ts';
import { createRunCommand } from '../effects/run-command.ts';
import { updateDocumentEffect } from '../effects/update-document.ts';
import { waitForFiles } from '../effects/wait-for-files.ts';
import { writeCache } from '../effects/write-cache.ts';
import { writeFile } from '../effects/write-file.ts';
import type { RunHost } from '../engine/local-run.ts';
import type { RunEvent } from '../model/event.ts';
import { runMark } from '../process/environment.ts';
import { createProcessRunner } from '../process/run-process.ts';
import { endMarkedProcesses } from '../process/terminate-tree.ts';
import { workflowPrograms } from '../workflow/program.ts';
import { redactor } from './redact.ts';

export interface Composition {
  /** Where the built helper programs lie. */
  readonly dist: string;
  /** Somebody watches what the steps print. */
  readonly showsOutput: boolean;
  /** Values that must reach no file. */
  readonly secrets: readonly string[];
  readonly cassette?: CassetteUse;
  onEvent(event: RunEvent): void;
}

export interface ComposedHost extends RunHost<EffectMap> {
  /** When the run is over. */
  close(): void;
}

const LEFTOVER_GRACE_MS = 5000;

export function composeHost(composition: Composition): ComposedHost {
  const runner = createProcessRunner({ helperPath: join(composition.dist, 'spawn-helper.cjs') });
  const redact = redactor(composition.secrets);
  return {
    programs: { ...workflowPrograms },
    effects: {
      'run-command': createRunCommand({ runProcess: runner.run, showsOutput: composition.showsOutput }),
      'run-agent': createRunAgent({
        runProcess: runner.run,
        ...(composition.cassette === undefined ? {} : { cassette: composition.cassette }),
      }),
      'wait-for-files': waitForFiles,
      'find-files': findFilesEffect,
      'check-proof': createCheckProof(runner.run),
      'move-file': moveFile,
      'read-file': readFile,
      'write-file': writeFile,
      'update-document': updateDocumentEffect,
      'empty-folder': emptyFolder,
      'archive-folder': archiveFolder,
      'read-cache': readCache,
      'write-cache': writeCache,
      note,
    },
    endLeftovers: (site) => endMarkedProcesses(runMark(site), { graceMs: LEFTOVER_GRACE_MS }),
    onEvent: composition.onEvent,
    ...(redact === undefined ? {} : { redact }),
    close: () => runner.close(),
  };
}
