/** Every diagnostic for a workflow that is written in TypeScript or JavaScript. `docs/diagnostics.md` is generated from this list. */
export const MODULE_CODES = {
  'module/cannot-read': 'The file of the workflow does not exist, is not a file, or cannot be read.',
  'module/needs-typescript':
    'This version of Node cannot load TypeScript, and the project has neither tsx nor amaro.',
  'module/syntax': 'The file, or one that it imports, is not valid TypeScript or JavaScript.',
  'module/unsupported-syntax':
    'The file uses TypeScript that has to be compiled, such as `enum`: types are removed, nothing is compiled.',
  'module/import-not-found': 'A module that the file imports cannot be found.',
  'module/missing-export': 'A module does not export a name that is imported from it.',
  'module/threw': 'The code at the top level of the file, or of one that it imports, threw an error.',
  'module/no-workflow': 'The default export of the file is not a workflow.',
  'module/invalid-workflow': 'A setting of the workflow has no value that can be used.',
  'module/not-repeatable': 'A call in the file of a workflow gives another value when the run is resumed.',
} as const;

export type ModuleCode = keyof typeof MODULE_CODES;
