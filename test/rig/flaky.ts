/** A reporter: names the tests that passed only on a second attempt, so that a flaky test is not hidden. */
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((file) =>
      [...file.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map(({ fullName }) => `  ${path.relative(process.cwd(), file.moduleId)} > ${fullName}`),
    );
    if (flaky.length > 0) console.log(`\n${flaky.length} flaky:\n${flaky.join('\n')}\n`);
  }
}
