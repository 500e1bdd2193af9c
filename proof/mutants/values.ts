/** Values that become code, and texts that stall: each mechanism left out once; the named test must notice it. */
import type { Mutant } from './mutant.ts';

export const VALUE_MUTANTS: readonly Mutant[] = [
  {
    name: 'undecided-is-data',
    title: 'a value is accepted in a script that could not be parsed reliably',
    file: 'src/template/shell/analyse-script.ts',
    text: "const refusal = cursor.lost === undefined ? cursor.refusals.get(index) : 'unreadable';",
    replacement: 'const refusal = cursor.refusals.get(index);',
    tests: [{ file: 'test/workflow/injection.test.ts', title: 'is rejected at load time where its place' }],
  },
  {
    name: 'dollars-unquoted',
    title: 'a dollar sign of a value keeps its meaning between double quotes',
    file: 'src/template/quote.ts',
    text: 'return text.replace(/[\\\\"$`]/g,',
    replacement: 'return text.replace(/[\\\\"`]/g,',
    tests: [
      { file: 'test/template/shell-fuzz.test.ts', title: 'an accepted script never runs code from a value' },
      { file: 'test/template/substitution-page.test.ts', title: 'runs no code from a value in' },
    ],
  },
  {
    name: 'tools-through-a-shell',
    title: 'the command of a tool is run by a shell',
    file: 'src/effects/tool/run-tool.ts',
    text: 'argv: input.tool.argv,',
    replacement: "argv: ['sh', '-c', input.tool.argv.join(' ')],",
    tests: [
      {
        file: 'test/converse/tool-commands.test.ts',
        title: 'is given values of the model that a shell would run',
      },
    ],
  },
  {
    name: 'marks-removed-slowly',
    title: 'the marks around an item of an answer are removed by an expression that backtracks',
    file: 'src/phases/deliverables.ts',
    text: '  const inner = withoutTrailing(said, MARKS);',
    replacement: "  const inner = said.replace(/[`\"'*]+$/, '');",
    suites: [{ name: 'linear-time', below: 'expression/src/phases/deliverables.ts' }],
    tests: [
      {
        file: 'test/phases/hostile-answers.test.ts',
        title: '` and stars, is read in time linear in its length',
      },
    ],
  },
  {
    name: 'any-nesting-of-a-script',
    title: 'a script may be nested as deep as it likes',
    file: 'src/template/shell/cursor.ts',
    text: 'if (cursor.nesting > DEEPEST) lose(',
    replacement: 'if (cursor.nesting > DEEPEST * 1e9) lose(',
    tests: [
      { file: 'test/template/analyse-script.test.ts', title: 'nested or repeated twenty thousand times' },
    ],
  },
];
