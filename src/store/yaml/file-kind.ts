/** How messages name a kind of file. */
export interface FileKind {
  /** `workflow`: "the workflow lacks the required key …". */
  readonly noun: string;
  readonly emptyHelp: string;
  readonly tooLargeHelp: string;
}
