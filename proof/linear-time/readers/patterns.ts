/** Globs and templates. */
import { findFiles } from '../../../src/store/glob.ts';
import { matchesPattern } from '../../../src/store/glob-pattern.ts';
import { parseBrackets } from '../../../src/template/parse-brackets.ts';
import { parseCommandTokens, parsePromptTokens } from '../../../src/template/parse-tokens.ts';
import { parseVariables } from '../../../src/template/parse-variables.ts';
import { renderTemplate } from '../../../src/template/render.ts';
import { type Reader, reader } from '../reader.ts';

const NAMES: ReadonlySet<string> = new Set(['a', 'name', 'input']);
/** Longer patterns are rejected. */
const LONGEST = 4000;

export const PATTERNS: readonly Reader[] = [
  reader('glob', (text, folder) =>
    [text, text.slice(0, LONGEST), `**/${text.slice(0, LONGEST)}`, `{${text},a}`].map((pattern) =>
      findFiles(folder, pattern),
    ),
  ),
  reader('glob-match', (text) => [
    matchesPattern(text, text),
    matchesPattern(text.slice(0, LONGEST), text.slice(0, LONGEST)),
    matchesPattern('**/*a*b*c', text),
  ]),
  reader('template-variables', (text) =>
    [text, `\${a}${text}`, `\${${text}`].map((each) => {
      const { template, problems } = parseVariables(each);
      return problems.length > 0 ? problems : renderTemplate(template, () => 'x');
    }),
  ),
  reader('template-tokens', (text) =>
    [text, `{${text}`, `{{${text}`].flatMap((each) => [
      parsePromptTokens(each, NAMES),
      parseCommandTokens(each, NAMES),
    ]),
  ),
  reader('template-brackets', (text) => [parseBrackets(text, NAMES), parseBrackets(`[${text}`, NAMES)]),
];
