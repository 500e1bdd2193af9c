/** Helpers for tests of the workflow language. */
import fs from 'node:fs';
import path from 'node:path';
import type { JournalEvent } from '../../src/model/event.ts';
import { encodeRecord, HEADER } from '../../src/store/journal-format.ts';
import type { Workspace } from '../rig/orchestrate.ts';

interface Event {
  readonly type: string;
  readonly key?: string;
  readonly effect?: string;
}

/** Keys of the commands and agents that were started, in order. */
export function startedSteps(workspace: Workspace, runId?: string): readonly string[] {
  return (workspace.journal(runId) as readonly Event[])
    .filter((event) => event.type === 'step-started' && event.effect?.startsWith('run-'))
    .map((event) => event.key ?? '');
}

/** A step that succeeds and does nothing: `  - name: A` with a command. */
export function quiet(name: string, rest = ''): string {
  return `  - name: ${name}\n    command: ["true"]\n${rest}`;
}

/** A step whose command ends with this exit code. */
export function exiting(name: string, code: number, rest = ''): string {
  return `  - name: ${name}\n    command: [bash, -c, "exit ${code}"]\n${rest}`;
}

/** Live processes of a run, found by the mark in their environment: pid and command. */
export function markedProcesses(runId: string): readonly string[] {
  return fs.readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      const mark = environment.find((each) => each.startsWith('ORCHESTRATE_MARK='));
      if (mark === undefined || !mark.includes(`${runId}:`)) return [];
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return command === '' ? [] : [`${pid} ${command}`];
    } catch {
      return [];
    }
  });
}

/** Changes when the records of the newest run were written. */
export function retime(workspace: Workspace, change: (at: number) => number): void {
  const file = path.join(workspace.runFolder(), 'journal.jsonl');
  const lines = workspace.journal().map((line, index) => {
    const {
      seq: _,
      synced: __,
      crc: ___,
      ...event
    } = line as JournalEvent & {
      readonly [name in 'seq' | 'synced' | 'crc']: unknown;
    };
    const at = new Date(change(Date.parse(event.at))).toISOString();
    return encodeRecord({ ...event, at }, index + 1, index);
  });
  fs.writeFileSync(file, `${HEADER.toString('utf8')}${lines.join('')}`);
}
