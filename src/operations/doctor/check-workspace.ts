import fs from 'node:fs';
import { join } from 'node:path';
import { describeRefusal } from '../../store/describe-refusal.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { effectiveStatus, listRuns } from '../runs/list-runs.ts';
import type { Finding } from './finding.ts';

const LOW_SPACE_BYTES = 500 * 1024 * 1024;

/** Whether runs can be kept here, and how those that are here fare. */
export function checkWorkspace(workspace: string): readonly Finding[] {
  return [...writable(workspace), ...space(workspace), ...readableRuns(workspace)];
}

function writable(workspace: string): readonly Finding[] {
  const folder = [orchestrateFolder(workspace), workspace].find((each) => fs.existsSync(each)) ?? workspace;
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return [{ area: 'workspace', level: 'ok', message: `${workspace} can be written` }];
  } catch {
    return [
      {
        area: 'workspace',
        level: 'problem',
        message: `${folder} cannot be written`,
        help: 'give permission, or work in a folder of your own',
      },
    ];
  }
}

function space(workspace: string): readonly Finding[] {
  const { bavail, bsize } = fs.statfsSync(workspace);
  const free = bavail * bsize;
  const shown = `${Math.round(free / 1024 / 1024)} MiB free`;
  return free >= LOW_SPACE_BYTES
    ? [{ area: 'workspace', level: 'ok', message: shown }]
    : [
        {
          area: 'workspace',
          level: 'warning',
          message: shown,
          help: 'a full disk stops a run, which can be resumed then; `orchestrate clean --older-than 30d` removes old runs',
        },
      ];
}

function readableRuns(workspace: string): readonly Finding[] {
  try {
    return runs(workspace);
  } catch (problem) {
    const refusal = describeRefusal(problem);
    if (refusal === undefined) throw problem;
    return [{ area: 'workspace', level: 'problem', ...refusal }];
  }
}

function runs(workspace: string): readonly Finding[] {
  const findings: Finding[] = [];
  const counts = new Map<string, number>();
  for (const run of listRuns(workspace)) {
    const status = effectiveStatus(run);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (run.type === 'damaged') {
      findings.push({
        area: 'workspace',
        level: 'problem',
        message: `run ${run.runId}: ${run.reason}`,
        help: `\`orchestrate doctor ${run.runId}\` says what can be saved`,
      });
    } else if (run.state.status === 'running' && !run.isAlive) {
      findings.push({
        area: 'workspace',
        level: 'warning',
        message: `run ${run.runId} (${run.state.title}) was cut off: its process is gone`,
        help: `\`orchestrate resume ${run.runId}\` goes on with it`,
      });
    }
  }
  if (fs.existsSync(join(orchestrateFolder(workspace), 'runs'))) {
    const told = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
    findings.unshift({ area: 'workspace', level: 'ok', message: `runs: ${told === '' ? 'none' : told}` });
  }
  return findings;
}
