/** A step that prints 1 GB. */
import fs from 'node:fs';
import path from 'node:path';
import { row, timed } from './measure.js';
import { inFolder, ORCHESTRATE } from './workspace.js';

export async function largeOutput({ quick }) {
  const bytes = quick ? 100 * 1024 * 1024 : 1024 * 1024 * 1024;
  return inFolder(async (folder) => {
    fs.writeFileSync(
      path.join(folder, 'large.yaml'),
      `name: large\nsteps:\n  - name: Print\n    command: [head, -c, "${bytes}", /dev/zero]\n    output_file: out.bin\n  - name: Lines\n    command: [bash, -c, "yes 'a line of text' | head -c ${bytes}"]\n    output_capture: lines\n`,
    );
    const { peakKib } = await timed([process.execPath, ORCHESTRATE, 'run', 'large.yaml', '--quiet'], {
      cwd: folder,
      watchMemory: true,
    });
    const { size } = fs.statSync(path.join(folder, 'out.bin'));
    return [
      row(`memory at its peak with steps that print ${bytes / 2 ** 20} MiB, in MiB`, peakKib / 1024, 200),
      row('bytes missing in output_file', bytes - size, 0),
    ];
  });
}
