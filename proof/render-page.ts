/** `docs/proof.md`: what was tried, how often, and what was found. A function of the files in `proof/results/` and of the list of findings. */
import { FINDINGS, type FoundBug } from './findings.ts';
import type { MutantResult, SavedMutants, SavedRun, SavedSuite } from './results.ts';

export function renderPage(runs: readonly SavedRun[], mutants: SavedMutants | undefined): string {
  const suites = bySuite(runs);
  const parts = [
    HEAD,
    summary(suites),
    ...[...suites].map(([name, results]) => section(name, results)),
    findingsSection(),
    mutantSection(mutants),
    TAIL,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const HEAD = `# Proof

The first promise of this program is that nothing you have paid for is lost. This page is the evidence: what was done to the program, at how
many points, and what was found. Every random choice follows from a seed, so each point can be repeated with one command. A point is one
kill, one damaged file, one order of events; at each of them the program is run for real, and what it leaves is held against what must hold.

\`\`\`sh no-run
npm run proof                                         # every suite, in full, with a new seed
npm run proof -- --seed 7 --suite kill-everywhere     # one suite, with the choices of a seed
npm run proof -- --seed 7 --only kill-everywhere/<point>
npm run proof -- --mutants                            # plants known bugs in a copy; each must be found
\`\`\``;

const TAIL =
  'This page is made by `npm run proof -- --report` from the files in `proof/results/`, and from `proof/findings.ts`.';

function bySuite(runs: readonly SavedRun[]): ReadonlyMap<string, readonly SavedSuite[]> {
  const suites = new Map<string, SavedSuite[]>();
  for (const run of runs) {
    for (const suite of Object.values(run.suites))
      suites.set(suite.name, [...(suites.get(suite.name) ?? []), suite]);
  }
  return new Map([...suites].sort(([a], [b]) => a.localeCompare(b)));
}

function summary(suites: ReadonlyMap<string, readonly SavedSuite[]>): string {
  if (suites.size === 0) return 'No run of it has been kept yet.';
  const rows = [...suites].map(([name, results]) => {
    const points = total(results.map((result) => result.tried));
    const found = total(results.map((result) => result.violations.length));
    return `| [${name}](#${name}) | ${results.length} | ${figure(points)} | ${found === 0 ? 'none' : found} |`;
  });
  return ['| suite | runs | points tried | violations |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function section(name: string, results: readonly SavedSuite[]): string {
  const lines = [`## ${name}`, '', results.at(-1)?.title ?? '', ''];
  lines.push('| seed | version | date | machine | points | skipped | violations | time |');
  lines.push('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const result of results) {
    const { version, commit, node, platform } = result.setting;
    const cells = [
      ...[result.seed, `${version} (${commit})`, result.endedAt.slice(0, 10), `${platform}, Node ${node}`],
      ...[figure(result.tried), figure(total(Object.values(result.skipped)))],
      ...[result.violations.length === 0 ? 'none' : result.violations.length, minutes(result.durationMs)],
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  lines.push(...list('What was done, in all runs:', added(results.map((result) => result.figures))));
  lines.push(...list('What could not be tried:', added(results.map((result) => result.skipped))));
  const notes = [...new Set(results.flatMap((result) => result.notes))];
  if (notes.length > 0) lines.push('', ...notes.map((note) => `- ${note}`));
  for (const result of results) {
    for (const { id, expected, found, where } of result.violations) {
      const place = where === undefined ? '' : ` (${where})`;
      lines.push('', `**Violation** \`${name}/${id}\`, seed ${result.seed}: expected ${expected}, found`);
      lines.push('', '```text', `${found}${place}`, '```');
    }
  }
  return lines.join('\n');
}

function findingsSection(): string {
  return [
    '## What it has found',
    '',
    'Bugs of this program that a suite has found. They are mended, and the test that is named keeps them from coming back.',
    '',
    '| found by | what was wrong | kept away by |',
    '| --- | --- | --- |',
    ...FINDINGS.map(findingRow),
  ].join('\n');
}

function findingRow({ suite, found, test }: FoundBug): string {
  const keeper = test === undefined ? `the suite \`${suite}\`` : `[${cell(test.title)}](../${test.file})`;
  return `| ${suite} | ${cell(found)} | ${keeper} |`;
}

function mutantSection(saved: SavedMutants | undefined): string {
  if (saved === undefined) return '';
  const lines = [
    '## Planted bugs',
    '',
    'A suite that finds nothing proves nothing unless it finds what is there. So known bugs are planted, one at a time, in a copy of the program,',
    `and the suites must find each. Version ${saved.setting.version} (${saved.setting.commit}), ${saved.endedAt.slice(0, 10)}, seed ${saved.seed}:`,
    '',
    '| bug | planted in | found by | as |',
    '| --- | --- | --- | --- |',
    ...saved.mutants.map(mutantRow),
  ];
  return lines.join('\n');
}

function mutantRow({ title, file, found }: MutantResult): string {
  const finders = Object.entries(found).filter(([, what]) => what !== null);
  const names = finders.map(([name]) => `\`${name}\``).join(', ');
  const first = finders[0]?.[1] ?? '';
  const nobody = Object.keys(found).length === 0 ? 'not looked for yet' : '**not found**';
  return `| ${cell(title)} | \`${file}\` | ${names === '' ? nobody : names} | ${cell(first)} |`;
}

function list(title: string, figures: Readonly<Record<string, number>>): readonly string[] {
  const entries = Object.entries(figures);
  if (entries.length === 0) return [];
  return ['', title, '', ...entries.map(([name, value]) => `- ${name}: ${figure(value)}`)];
}

function added(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const figures of all) {
    for (const [name, value] of Object.entries(figures)) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => a.localeCompare(b)));
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** `12,345` */
function figure(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function minutes(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
