/** Names that lead out of the workspace, and what must hold wherever one is given. */
import { must, shortened } from '../../must.ts';
import type { Ended } from '../../program.ts';
import { programCases } from '../../site/programs.ts';
import { type Fenced, mustNotHold, SENTINEL } from '../outside.ts';

/** A name that leads to the folder outside, as each place might take it. */
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

/** Something of every program, and a run. */
export async function furnish({ site }: Fenced): Promise<void> {
  for (const program of programCases()) await program.prepare(site);
  site.write({
    'work.yaml': JSON.stringify({ name: 'work', steps: [{ name: 'Say', command: ['echo', 'hello'] }] }),
  });
  await site.ok(['run', 'work.yaml', '--quiet']);
}

/** Whatever it says: nothing outside was shown, made or changed, and it is no crash. */
export function mustRefuse(
  fenced: Fenced,
  { exitCode, signal, stdout, stderr }: Ended,
  argv: readonly string[],
): void {
  const said = `${stdout}${stderr}`;
  must(signal === null && exitCode !== 70 && !/internal error/.test(stderr), () => ({
    expected: `a refusal of \`orchestrate ${argv.join(' ')}\``,
    found: shortened(`${signal ?? exitCode}: ${said}`),
  }));
  must(!said.includes(SENTINEL), () => ({
    expected: `\`orchestrate ${argv.join(' ')}\` to show nothing from outside`,
    found: shortened(said),
  }));
  fenced.mustBeUntouched(`\`orchestrate ${argv.join(' ')}\``);
  mustNotHold(fenced.site, SENTINEL);
}
