/** Rows of a run that the tree does not give. */
import type { StepRow, StepsFound } from '../../src/operations/live/step-row.ts';
import { useData, useLiveData } from '../use-data.ts';
import type { ListEntry } from './row-store.ts';

/** A sorted or filtered list has no tree. */
export function useFlat(
  at: string,
  topic: string,
  { sort, q }: { readonly sort: string; readonly q: string },
): readonly ListEntry[] | undefined {
  const isFlat = sort !== '' || q !== '';
  const asked = new URLSearchParams({ limit: '500', sort: sort === '' ? 'order' : sort, q });
  const { value } = useLiveData<StepsFound>(isFlat ? `${at}/steps?${asked}` : undefined, topic, { ms: 1000 });
  if (!isFlat) return undefined;
  return (value?.rows ?? []).map((row, place) => ({
    row: { ...row, children: 0, name: row.key },
    depth: 0,
    parent: 'flat',
    place,
  }));
}

/** A row that no list has loaded. */
export function useRow(at: string, key: string): StepRow | undefined {
  const { value } = useData<{ readonly row: StepRow }>(
    key === '' ? undefined : `${at}/steps/${encodeURIComponent(key)}`,
  );
  return value?.row;
}
