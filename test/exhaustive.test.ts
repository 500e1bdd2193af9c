/** The compiler closes unions: a new member does not compile until it is handled. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, type SwitchStatement, SyntaxKind } from 'typescript/unstable/ast';
import { API, type Project, type Type, TypeFlags, type UnionType } from 'typescript/unstable/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const SRC = path.join(ROOT, 'src');
/** The last clause of a switch. */
const GUARDED = /^default:\s+(?:return )?(?:unreachable|skipUnknown)\(/;
const PARTIAL = /^default:\s+\/\/ Partial: \S/;

describe('a switch over a closed union', () => {
  let project: Project;
  let close: () => void;

  beforeAll(() => {
    [project, close] = openProject();
  });

  afterAll(() => close());

  it('ends in a guard, or says why it is partial', () => {
    const open = switchesIn(project)
      .filter(({ node }) => isClosed(project.checker.getTypeAtLocation(node.expression)))
      .filter(({ lastClause }) => !GUARDED.test(lastClause) && !PARTIAL.test(lastClause));
    expect(open.map(({ place }) => place)).toEqual([]);
  });

  it('is found for every kind of union', () => {
    const closed = switchesIn(project).filter(({ node }) =>
      isClosed(project.checker.getTypeAtLocation(node.expression)),
    );
    const files = closed.map(({ place }) => place.replace(/:\d+$/, ''));
    expect(files).toEqual(
      expect.arrayContaining(['engine/fold-state.ts', 'model/failure.ts', 'report/render-report.ts']),
    );
    expect(files).not.toContain('process/start-failure.ts');
  });
});

/** Files in which a new member of each must be handled, at least. */
const UNIONS = [
  {
    union: 'JournalEvent',
    file: 'model/event.ts',
    handledIn: [
      'engine/explain.ts',
      'engine/fold-run.ts',
      'engine/recorded.ts',
      'engine/run-index.ts',
      'report/live/lines.ts',
      'report/live/tally.ts',
      'report/run-report/timeline.ts',
    ],
  },
  {
    union: 'Failure',
    file: 'model/failure.ts',
    handledIn: ['model/describe-failure.ts', 'model/failure.ts'],
  },
  {
    union: 'AgentOutcome',
    file: 'model/agent.ts',
    handledIn: ['model/describe-failure.ts', 'model/failure.ts', 'model/resume-advice.ts'],
  },
  {
    union: 'AgentEvent',
    file: 'model/agent.ts',
    handledIn: ['agents/summary.ts', 'agents/tool-display.ts', 'report/live/step-output.ts'],
  },
  {
    union: 'Note',
    file: 'model/note.ts',
    handledIn: ['engine/explain.ts', 'engine/fold-state.ts', 'engine/run-index.ts', 'report/live/lines.ts'],
  },
];

describe('adding a member', () => {
  let project: Project;
  let close: () => void;

  beforeAll(() => {
    const changed = new Map<string, string>();
    for (const { union, file } of UNIONS) {
      const name = path.join(SRC, file);
      const before = changed.get(name) ?? fs.readFileSync(name, 'utf8');
      const member = `{ readonly at: string; readonly type: 'added-to-${union}' }`;
      const after = before.replace(`export type ${union} =`, `export type ${union} = ${member}`);
      expect(after).not.toBe(before);
      changed.set(name, after);
    }
    [project, close] = openProject(changed);
  });

  afterAll(() => close());

  it.each(UNIONS)('to $union does not compile where it is not handled', ({ union, handledIn }) => {
    const fails = (file: string): boolean =>
      project.program
        .getSemanticDiagnostics(path.join(SRC, file))
        .some(({ text }) => text.includes(`added-to-${union}`));
    expect(handledIn.filter((file) => !fails(file))).toEqual([]);
  });
});

/** Opens the project with changed contents of some files. */
function openProject(changed: ReadonlyMap<string, string> = new Map()): [Project, () => void] {
  const api = new API({ cwd: ROOT, fs: { readFile: (file) => changed.get(file) } });
  const config = path.join(ROOT, 'tsconfig.json');
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error('the project was not opened');
  return [project, () => api.close()];
}

interface Switch {
  readonly node: SwitchStatement;
  readonly place: string;
  readonly lastClause: string;
}

function switchesIn(project: Project): readonly Switch[] {
  const { program } = project;
  const found: Switch[] = [];
  for (const name of program.getSourceFileNames().filter((file) => file.startsWith(`${SRC}/`))) {
    const file = program.getSourceFile(name);
    if (file === undefined) continue;
    const visit = (node: Node): void => {
      if (isSwitch(node)) {
        const line = file.text.slice(0, node.getStart()).split('\n').length;
        const last = node.caseBlock.clauses.at(-1);
        const lastClause = last === undefined ? '' : file.text.slice(last.getStart(), last.end);
        found.push({ node, place: `${path.relative(SRC, name)}:${line}`, lastClause });
      }
      node.forEachChild(visit);
    };
    visit(file);
  }
  return found;
}

function isSwitch(node: Node): node is SwitchStatement {
  return node.kind === SyntaxKind.SwitchStatement;
}

/** Several literals, and perhaps `undefined`; not `string` or `number`. */
function isClosed(type: Type | undefined): boolean {
  if (type === undefined || (type.flags & TypeFlags.Union) === 0) return false;
  const literals = TypeFlags.StringLiteral | TypeFlags.NumberLiteral | TypeFlags.BooleanLiteral;
  return (type as UnionType)
    .getTypes()
    .every((member) => (member.flags & (literals | TypeFlags.EnumLiteral | TypeFlags.Undefined)) !== 0);
}
