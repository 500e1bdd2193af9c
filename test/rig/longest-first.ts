/** The order of the test files: the longest first, so that none of them runs alone at the end while the other workers have nothing to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. */
const LONGEST_FILES = [
  'real-clis/tools',
  'proof/suites',
  'cluster/worker',
  'real-clis/opencode',
  'real-clis/qwen',
  'real-clis/ask',
  'real-clis/ask-combined',
  'real-clis/sandbox',
  'cluster/git-programs',
  'cluster/programs',
  'real-clis/gemini',
  'web/equals',
  'web/page',
  'cluster/examples',
  'real-clis/copilot',
  'docs',
  'real-clis/claude-2.1.197',
  'real-clis/claude-2.1.325',
  'session/real-feature',
  'cluster/git-files',
  'phases/real-claude',
  'code/called-by-file',
  'process/run-process',
  'real-clis/ask-everywhere',
  'web/screens',
  'git/hub',
  'iterate/git',
  'phases/agent-ends',
  'session/git',
  'iterate/run',
  'store/lock',
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files);
    return others.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST_FILES.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place === -1 ? LONGEST_FILES.length : place;
}
