import { findBubblewrap } from '../../process/sandbox/find-bubblewrap.ts';
import type { Finding } from './finding.ts';

/** Whether steps with `sandbox` can run here. Most need none, so its absence is only a note. */
export async function checkSandbox(env: { readonly PATH?: string | undefined }): Promise<readonly Finding[]> {
  const found = await findBubblewrap(env.PATH);
  return found.type === 'ok'
    ? [{ area: 'environment', level: 'ok', message: `sandboxes work (${found.value.path})` }]
    : [
        {
          area: 'environment',
          level: 'note',
          message: `no sandboxes: ${found.error.reason}`,
          help: found.error.help,
        },
      ];
}
