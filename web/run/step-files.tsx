/** The files of a step: what its isolated work changed, with the diff, and what its proof checked. */
import type { StepFiles as Found } from '../../src/operations/live/step-files.ts';
import { DiffView } from '../diff.tsx';
import { useData } from '../use-data.ts';

const MARKS: { readonly [change: string]: string } = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  proven: '✓',
};

export function StepFiles({ at, found }: { readonly at: string; readonly found: Found | undefined }) {
  const { value } = useData<{
    readonly diffs: readonly { readonly step: string; readonly branch: string; readonly patch: string }[];
  }>(found?.has_diff === true ? `${at}/diff` : undefined);
  if (found === undefined) return <div class="body" aria-busy="true" />;
  return (
    <div class="body">
      {found.files.length === 0 ? (
        <p class="quiet">
          No changed files are recorded. Steps with <code>isolate: worktree</code> have a diff, and{' '}
          <code>expect</code> names the files that are checked.
        </p>
      ) : null}
      <ul class="files">
        {found.files.slice(0, 200).map(({ path, change }) => (
          <li key={path}>
            <span class={`mark ${change}`} title={change}>
              {MARKS[change]}
            </span>
            <span class="mono">{path}</span>
            <span class="faint">{change === 'proven' ? 'checked by its proof' : change}</span>
          </li>
        ))}
      </ul>
      {found.files.length > 200 ? <p class="quiet">and {found.files.length - 200} more</p> : null}
      {(value?.diffs ?? []).map(({ step, branch, patch }) => (
        <section key={step}>
          <p class="quiet">
            {step} <span class="faint mono">{branch}</span>
          </p>
          <DiffView patch={patch} />
        </section>
      ))}
    </div>
  );
}
