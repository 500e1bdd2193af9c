/** Calls whose result differs in every replay. They are found in the text: nothing is patched at run time. */
import type { Diagnostic } from '../../model/diagnostic.ts';
import { rangeOf } from '../../modules/error-place.ts';
import type { ModuleSource } from '../../modules/load-module.ts';
import { CODE_FILE } from '../../store/module-file.ts';

const CHANGING: readonly { readonly call: RegExp; readonly use: string }[] = [
  { call: /\bDate\.now\s*\(\s*\)/, use: '`await ctx.now(name)`' },
  { call: /\bnew\s+Date\s*\(\s*\)/, use: '`new Date(await ctx.now(name))`' },
  { call: /\bMath\.random\s*\(\s*\)/, use: '`await ctx.do(name, () => Math.random())`' },
  { call: /\b(?:crypto\.)?randomUUID\s*\(\s*\)/, use: '`await ctx.uuid(name)`' },
  { call: /\bperformance\.now\s*\(\s*\)/, use: '`await ctx.now(name)`' },
];

/** Only the files of workflows themselves: what they import may be called inside `ctx.do`. */
export function lintCode({ file, bytes }: ModuleSource): readonly Diagnostic[] {
  if (!CODE_FILE.test(file)) return [];
  const text = Buffer.from(bytes).toString('utf8');
  const source = { path: file, text };
  return text.split('\n').flatMap((line, row) => {
    const code = line.replace(/\/\/.*$/, '');
    // Inside a `do`, on the same line, it is recorded.
    if (/\.do\s*\(/.test(code)) return [];
    return CHANGING.flatMap(({ call, use }): readonly Diagnostic[] => {
      const found = call.exec(code);
      if (found === null) return [];
      return [
        {
          code: 'module/not-repeatable',
          severity: 'warning',
          message: `\`${found[0]}\` gives another value when the run is resumed`,
          range: rangeOf(source, { path: file, line: row + 1, column: found.index, width: found[0].length }),
          help: `use ${use}`,
        },
      ];
    });
  });
}
