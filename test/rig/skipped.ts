/** A reporter: counts and names skipped tests, so that a run without root, a CLI or a tool reports what it did not prove. */
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const MOST_NAMED = 30;

export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((file) =>
      [...file.children.allTests('skipped')].map(({ fullName }) => {
        const name = path.relative(process.cwd(), file.moduleId);
        return `  ${name} > ${fullName}`;
      }),
    );
    if (skipped.length === 0) return;
    const more = skipped.length - MOST_NAMED;
    const lines = [
      `${skipped.length} skipped:`,
      ...skipped.slice(0, MOST_NAMED),
      ...(more > 0 ? [`  … and ${more} more`] : []),
    ];
    console.log(`\n${lines.join('\n')}\n`);
  }
}
