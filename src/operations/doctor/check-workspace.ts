import fs from 'node:fs';
import { join } from 'node:path';
import { describeRefusal } from '../../store/describe-refusal.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { effectiveStatus, listRuns } from '../runs/list-runs.ts';
import { isAbandoned } from '../runs/seen-state.ts';
import type { Finding } from './finding.ts';

const LOW_SPACE_BYTES = 500 * 1024 * 1024;

/** Checks whether runs can be stored here, and the state of existing runs. */
export function checkWorkspace(workspace: string): readonly Finding[] {
  return [...writable(workspace), ...space(workspace), ...readableRuns(workspace)];
}

function writable(workspace: string): readonly Finding[] {
  const folder = [orchestrateFolder(workspace), workspace].find((each) => fs.existsSync(each)) ?? workspace;
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return [{ area: 'workspace', level: 'ok', message: `${workspace} is writable` }];
  } catch {
    return [
      {
        area: 'workspace',
        level: 'problem',
        message: `${folder} is not writable`,
        help: 'fix its permissions, or use another folder',
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
          help: 'a run stops when the disk is full and can be resumed later; `orchestrate clean --older-than 30d` removes old runs',
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
  for (const run of listRuns({ workspace })) {
    const status = effectiveStatus(run);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (run.type === 'damaged') {
      findings.push({
        area: 'workspace',
        level: 'problem',
        message: `run ${run.runId}: ${run.reason}`,
        help: `\`orchestrate doctor ${run.runId}\` shows what can be saved`,
      });
    } else if (isAbandoned(run.state)) {
      findings.push({
        area: 'workspace',
        level: 'warning',
        message: `run ${run.runId} (${run.state.title}) was interrupted: its process is no longer running`,
        help: `resume with \`orchestrate resume ${run.runId}\``,
      });
    }
  }
  if (fs.existsSync(join(orchestrateFolder(workspace), 'runs'))) {
    const text = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
    findings.unshift({ area: 'workspace', level: 'ok', message: `runs: ${text === '' ? 'none' : text}` });
  }
  return findings;
}
