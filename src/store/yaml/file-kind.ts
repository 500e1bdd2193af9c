/** How messages speak of a file as a whole. */
export interface FileKind {
  /** `workflow`: "the workflow needs the key …". */
  readonly noun: string;
  readonly emptyHelp: string;
  readonly tooLargeHelp: string;
}
