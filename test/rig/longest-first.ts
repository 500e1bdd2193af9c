/** The order of the test files: the longest first, so that none of them runs alone at the end while the other workers have nothing to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. */
const LONGEST_FILES = [
  'proof/suites',
  'real-clis/ask',
  'real-clis/ask-combined',
  'cluster/worker',
  'cluster/git-programs',
  'cluster/programs',
  'code/called-by-file',
  'phases/agent-ends',
  'phases/real-claude',
  'web/page',
  'process/run-process',
  'web/screens',
  'git/hub',
  'session/real-feature',
  'session/git',
  'iterate/config-layers',
  'iterate/git',
  'iterate/run',
  'session/kill',
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
