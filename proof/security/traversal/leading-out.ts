/** Names that lead out of the workspace, and what must be true wherever one is given. */
import { must, shortened } from '../../must.ts';
import type { Ended } from '../../program.ts';
import { programCases } from '../../site/programs.ts';
import { type Fenced, mustNotHold, SENTINEL } from '../outside.ts';

/** Names that lead to the folder outside, in the forms each place might accept. */
export function namesLeadingOut({ way, outside }: Fenced): readonly string[] {
  return [
    way,
    outside,
    `./${way}`,
    `x/../${way}`,
    `.orchestrate/../${way}`,
    '..',
    '.',
    `WFS-/../../${way}`,
    `IMPL-1/../../../../${way}`,
  ];
}

/** Files of every program, and a run. */
export async function furnish({ site }: Fenced): Promise<void> {
  for (const program of programCases()) await program.prepare(site);
  site.write({
    'work.yaml': JSON.stringify({ name: 'work', steps: [{ name: 'Say', command: ['echo', 'hello'] }] }),
  });
  await site.ok(['run', 'work.yaml', '--quiet']);
}

/** Whatever the result: nothing outside was shown, created or changed, and it did not crash. */
export function mustRefuse(
  fenced: Fenced,
  { exitCode, signal, stdout, stderr }: Ended,
  argv: readonly string[],
): void {
  const said = `${stdout}${stderr}`;
  must(signal === null && exitCode !== 70 && !/internal error/.test(stderr), () => ({
    expected: `\`orchestrate ${argv.join(' ')}\` to be refused without a crash`,
    found: shortened(`${signal ?? exitCode}: ${said}`),
  }));
  must(!said.includes(SENTINEL), () => ({
    expected: `\`orchestrate ${argv.join(' ')}\` to show nothing from outside the workspace`,
    found: shortened(said),
  }));
  fenced.mustBeUntouched(`\`orchestrate ${argv.join(' ')}\``);
  mustNotHold(fenced.site, SENTINEL);
}
