import type { Failure } from '../model/failure.ts';
import type { Result } from '../model/result.ts';
import { type Git, printed } from './git.ts';

export interface CommitWords {
  readonly message: string;
  /** `Name <mail@example.com>`; default: the user of git. */
  readonly author?: string;
}

/** The commits that only this program reads: of a fixed author and time, so that the same contents are the same commit. */
const OWN_IDENTITY: { readonly [name: string]: string } = {
  GIT_AUTHOR_NAME: 'orchestrate',
  GIT_AUTHOR_EMAIL: 'orchestrate@localhost',
  GIT_AUTHOR_DATE: '2000-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'orchestrate',
  GIT_COMMITTER_EMAIL: 'orchestrate@localhost',
  GIT_COMMITTER_DATE: '2000-01-01T00:00:00Z',
};

/** A commit of our own, for git to calculate with. */
export async function ownCommit(
  git: Git,
  tree: string,
  { parents = [], message }: { readonly parents?: readonly string[]; readonly message: string },
): Promise<Result<string, Failure>> {
  return commitTree(git, tree, { parents, message, env: OWN_IDENTITY });
}

/** A commit of the user, or of the author that they name. Runs no hooks. Without a name in git's settings it is ours. */
export async function userCommit(
  git: Git,
  tree: string,
  { parents, message, author }: CommitWords & { readonly parents: readonly string[] },
): Promise<Result<string, Failure>> {
  const identity = await git(['var', 'GIT_COMMITTER_IDENT']);
  const fallback = identity.exitCode === 0 ? {} : nameless(OWN_IDENTITY);
  return commitTree(git, tree, { parents, message, env: { ...fallback, ...authorOf(author) } });
}

function nameless(identity: typeof OWN_IDENTITY): typeof OWN_IDENTITY {
  return Object.fromEntries(Object.entries(identity).filter(([name]) => !name.endsWith('_DATE')));
}

function authorOf(author: string | undefined): { readonly [name: string]: string } {
  const [, name, mail] = /^([^<]*)<([^<>]*)>$/.exec(author ?? '') ?? [];
  if (name === undefined || mail === undefined) return {};
  return { GIT_AUTHOR_NAME: name.trimEnd(), GIT_AUTHOR_EMAIL: mail };
}

async function commitTree(
  git: Git,
  tree: string,
  given: {
    readonly parents: readonly string[];
    readonly message: string;
    readonly env: { readonly [name: string]: string };
  },
): Promise<Result<string, Failure>> {
  const parents = given.parents.flatMap((parent) => ['-p', parent]);
  const made = await printed(git, ['commit-tree', tree, ...parents, '-F', '-'], {
    doing: 'commit',
    env: given.env,
    stdin: `${given.message.trimEnd()}\n`,
  });
  return made.type === 'ok' ? { type: 'ok', value: made.value.trimEnd() } : made;
}
