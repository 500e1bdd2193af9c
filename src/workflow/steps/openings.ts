/** The worktrees of branches that have started and are not made yet. Nothing is merged meanwhile, so branches that start together start with the same files. */
export class Openings {
  readonly #pending = new Set<Promise<void>>();

  /** Returns what is called, once or more often, when the worktree is made or will not be. */
  begin(): () => void {
    const { promise, resolve } = withResolver();
    this.#pending.add(promise);
    return () => {
      this.#pending.delete(promise);
      resolve();
    };
  }

  async all(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
