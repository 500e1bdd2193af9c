import { notifySecrets } from '../../../iterate/config/notify-address.ts';
import { pathsIn } from '../../../iterate/workspace/layout.ts';
import { parseMetadata } from '../../../iterate/workspace/metadata.ts';
import type { ReadRun } from '../../../operations/runs/read-run.ts';
import { loadDocument } from '../../../store/document.ts';

/** What the records of a run may hold of its workspace's settings and must not. */
export function secretsOfRun({ started }: ReadRun): readonly string[] {
  const folder = started.facts?.['iterate_workspace'];
  if (typeof folder !== 'string') return [];
  const metadata = loadDocument(pathsIn(folder).metadata, parseMetadata);
  return metadata.type === 'ok' ? notifySecrets(metadata.value.notifyUrl) : [];
}
