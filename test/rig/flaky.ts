/** A reporter: names the tests that passed only on a second attempt, with what the first one said, so that a flaky test is not hidden. */
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((file) =>
      [...file.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => {
          const errors = test.result().errors ?? [];
          const said = errors.map(({ message, stack }) =>
            `${message}\n${stack ?? ''}`.replace(/^/gm, '    '),
          );
          return [`  ${path.relative(process.cwd(), file.moduleId)} > ${test.fullName}`, ...said].join('\n');
        }),
    );
    if (flaky.length > 0) console.log(`\n${flaky.length} flaky:\n${flaky.join('\n')}\n`);
  }
}
