/** What operations know about a workflow, whether it is a YAML file or code. */
export interface Definition {
  /** Workspace-relative. */
  readonly file: string;
  /** The file and those it uses, with the digests of their contents. */
  readonly sources: readonly { readonly file: string; readonly digest: string }[];
  readonly checksum: string;
  /** Names of environment variables whose values must not be written to any file. */
  readonly secrets: readonly string[];
  /** The agent CLIs that a run may start. */
  readonly agents: Iterable<string>;
}
