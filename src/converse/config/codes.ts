import type { ReadingCode } from '../../store/yaml/codes.ts';

/** Diagnostics for the files of a conversation workspace, besides YAML errors. */
export type ConverseCode =
  | ReadingCode
  | 'converse/tool-kind'
  | 'converse/duplicate-tool'
  | 'converse/unknown-tool'
  | 'converse/unknown-agent'
  | 'converse/bad-schema'
  | 'converse/bad-root'
  | 'converse/bad-template'
  | 'template/unknown-token'
  | 'template/value-as-code'
  | 'template/value-as-option';
