import { MARK_VARIABLE } from '../../src/process/marks.ts';
import { environmentValue, readProcessTable } from '../../src/process/process-table.ts';

/** Pids of the processes with this mark in their environment, wherever they are. */
export async function markedProcesses(mark: string): Promise<readonly number[]> {
  const table = await readProcessTable();
  return table
    .filter((entry) => environmentValue(entry.pid, MARK_VARIABLE)?.split(',').includes(mark))
    .map((entry) => entry.pid);
}
