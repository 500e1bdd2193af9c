/** Problems with starting, forking and resuming workflows, and with projects. */

import type { ReplayDivergence } from '../../code/replay/check-replay.ts';
import { canBeAccepted, describeDivergence } from '../../code/replay/describe-divergence.ts';
import { advice, command } from '../../model/advice.ts';
import { defined } from '../../model/defined.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { form, meant, quoted, said } from '../../model/problem-form.ts';

interface OfRun {
  readonly runId: string;
}

interface OfKind {
  readonly runKind: string;
}

interface OfFile {
  readonly file: string;
}

/** The files that are already there. */
interface Taken {
  readonly files: readonly string[];
}

/** The exit code that Node itself uses. */
const UNSETTLED_AWAIT = 13;

const START_AGAIN = 'start a new run with the command that started this one';

export const workflowProblems = () => ({
  'cannot-restart': form('invalid', ({ runId, runKind }: OfRun & OfKind) =>
    said(`run \`${runId}\` is of kind \`${runKind}\`; only workflows can be restarted`, START_AGAIN),
  ),
  'run-was-cancelled': form('conflict', ({ runId, runKind }: OfRun & OfKind) =>
    said(
      `run \`${runId}\` was cancelled`,
      runKind === 'workflow'
        ? advice`${{ operation: 'restart-run', run: runId }} starts a new run`
        : START_AGAIN,
    ),
  ),
  'cannot-fork': form('invalid', ({ runId, runKind }: OfRun & OfKind) =>
    said(`run \`${runId}\` is of kind \`${runKind}\`; only workflows can be forked`),
  ),
  'step-not-reached': form('not-found', ({ runId, step }: OfRun & { readonly step: string }) =>
    said(
      `run \`${runId}\` has no step \`${step}\` (not reached, or misspelt)`,
      advice`${{ operation: 'show-run', run: runId }} lists its steps`,
    ),
  ),
  'changed-before-fork': form(
    'conflict',
    ({
      file,
      step,
      changed,
    }: {
      readonly file: string;
      readonly step: string;
      readonly changed: readonly string[];
    }) =>
      said(
        `\`${file}\` has changed in steps before \`${step}\`: ${changed.join(', ')}`,
        'fork from the first of them instead',
      ),
  ),
  'leaked-secret': form('invalid', ({ variable }: { readonly variable: string }) =>
    said(
      `the workflow or its context contains the value of the environment variable \`${variable}\``,
      'keep it in the environment and list its name under `secrets:` in the steps that need it, so that it is never written to a file',
    ),
  ),
  'code-takes-too-long': form('invalid', ({ file, seconds }: OfFile & { readonly seconds: number }) =>
    said(
      `\`${file}\` was not loaded within ${seconds} seconds`,
      'look for an endless loop, or an `await` that does not end, at its top level or in a file that it imports; work belongs into `run`',
    ),
  ),
  'code-ended-its-process': form(
    'invalid',
    ({
      file,
      exitCode,
      signal,
      said: words,
    }: OfFile & { readonly exitCode: number; readonly signal?: string; readonly said?: string }) => ({
      message: `\`${file}\` ended its process while it was loaded (${signal ?? `exit code ${exitCode}`})`,
      ...defined({ note: words }),
      help:
        exitCode === UNSETTLED_AWAIT
          ? 'an `await` at its top level, or in a file that it imports, waits for something that never comes'
          : 'look for `process.exit()`, and for errors that nothing catches, at its top level and in the files that it imports',
    }),
  ),
  'code-is-being-loaded': form('held', ({ file }: OfFile) => said(`\`${file}\` is being loaded`)),
  'input-does-not-fit': form(
    'invalid',
    ({ file, reasons }: { readonly file: string; readonly reasons: readonly string[] }) => ({
      message: `the input does not fit \`${file}\``,
      details: reasons,
      help: advice`pass it with ${{ operation: 'give-inputs' }}`,
    }),
  ),
  'program-does-not-fit': form(
    'conflict',
    ({
      file,
      runId,
      divergence,
    }: OfRun & { readonly file: string; readonly divergence: ReplayDivergence }) => ({
      message: `${file} does not fit run ${runId}`,
      details: describeDivergence(divergence),
      help: [
        ...(canBeAccepted(divergence)
          ? advice`${{ operation: 'resume-run', run: runId, changes: 'accepted' }} keeps the recorded answers; `
          : []),
        ...(divergence.type === 'threw' ? ['correct the program; '] : []),
        ...advice`${{ operation: 'resume-run', run: runId, changes: 'ignored' }} resumes the program as it was`,
        ...(divergence.type === 'threw'
          ? []
          : advice`; ${{ operation: 'fork-run', run: runId, from: divergence.key.split('/')[0] ?? '' }} runs it again from there`),
      ],
    }),
  ),
  'workflow-not-given': form('not-found', ({ runId, name }: OfRun & { readonly name: string }) =>
    said(
      `run \`${runId}\` needs the workflow \`${name}\`, which has no file`,
      'pass it in `workflows` of createOrchestrator',
    ),
  ),
  'no-steps-in-code': form('invalid', ({ file }: { readonly file: string }) =>
    said(
      `\`${file}\` is code: its steps are known only when it runs`,
      advice`fork an earlier run from the step with ${{ operation: 'fork-run', run: '<run>' }}`,
    ),
  ),
  'no-dry-run-of-code': form('invalid', ({ file }: { readonly file: string }) =>
    said(
      `\`${file}\` is code: there is no dry run of it`,
      'test it with `testWorkflow` of `orchestrate-run/testing`, or replay recorded agents with `--replay`',
    ),
  ),
  'no-journals': form('not-found', ({ file, against }: { readonly file: string; readonly against: string }) =>
    said(`no run of \`${file}\` found in \`${against}\``),
  ),
  'inputs-in-code': form('invalid', ({ file }: { readonly file: string }) =>
    said(
      `\`${file}\` is code: its inputs are known only when it is loaded`,
      advice`${command(`inputs ${file}`)} loads it`,
    ),
  ),
  'not-code': form('invalid', ({ file }: { readonly file: string }) =>
    said(
      `\`${file}\` is not a workflow in TypeScript or JavaScript`,
      advice`${command(`validate ${file}`)} checks other files`,
    ),
  ),
  'no-step-in-file': form(
    'not-found',
    ({
      step,
      file,
      near,
      steps,
    }: {
      readonly step: string;
      readonly file: string;
      readonly near?: string | undefined;
      readonly steps: readonly string[];
    }) => said(`step \`${step}\` not found in \`${file}\``, meant(near, `steps: ${steps.join(', ')}`)),
  ),
  'step-inside-another': form(
    'invalid',
    ({ step, inside }: { readonly step: string; readonly inside: string }) =>
      said(
        `\`${step}\` is inside \`${inside}\`, and only a step of the top level can be run alone`,
        `run \`${inside}\` instead, or resume or fork a run: its completed steps are not repeated`,
      ),
  ),
  'missing-results': form(
    'invalid',
    ({
      step,
      missing,
      fromRun,
    }: {
      readonly step: string;
      readonly missing: readonly string[];
      readonly fromRun?: string | undefined;
    }) => {
      const names = missing.map((name) => `\`${name}\``).join(' and ');
      return fromRun === undefined
        ? said(
            `\`${step}\` needs the results of ${names}`,
            'take them from an earlier run: `--from-run <run>`',
          )
        : said(
            `\`${step}\` needs the results of ${names}, and run \`${fromRun}\` does not have them`,
            'name a run in which they completed',
          );
    },
  ),
  'unknown-provider': form(
    'invalid',
    ({ provider, providers }: { readonly provider: string; readonly providers: readonly string[] }) =>
      said(`unknown provider \`${provider}\``, `use one of ${providers.join(', ')}`),
  ),
  'no-cassettes': form('not-found', ({ from }: { readonly from: string }) =>
    said(`no cassettes found in \`${from}\``, 'use a run made with `--record`, or a folder of cassettes'),
  ),
  'cannot-clean-processed': form('invalid', ({ folder }: { readonly folder: string }) =>
    said(
      `cannot use \`--clean-processed\`: \`${folder}\` is not a plain folder inside the workspace`,
      'set `processed_dir` to a folder inside the workspace',
    ),
  ),
  'cannot-archive-processed': form(
    'invalid',
    ({ to, reason }: { readonly to: string; readonly reason: string }) =>
      said(
        `cannot use \`--archive-processed ${to}\`: ${reason}`,
        'name another file, or none to write it to the run folder',
      ),
  ),

  'unknown-template': form(
    'not-found',
    ({ template, templates }: { readonly template: string; readonly templates: readonly string[] }) =>
      said(`unknown template \`${template}\``, `use one of ${templates.join(', ')}`),
  ),
  'project-files-exist': form('conflict', ({ files }: Taken) =>
    said(
      `${quoted(files)} already ${files.length === 1 ? 'exists' : 'exist'}; nothing was written`,
      'use another folder, or choose another `--template`',
    ),
  ),
  'unusable-folder': form('invalid', ({ folder, code }: { readonly folder: string; readonly code: string }) =>
    said(`\`${folder}\` cannot be used: ${errnoWords(code)}`, 'use a new or empty folder'),
  ),
  'folder-not-empty': form('invalid', ({ folder }: { readonly folder: string }) =>
    said(`\`${folder}\` is not empty`, 'use a new or empty folder'),
  ),

  'invalid-agent-name': form('invalid', ({ agent }: { readonly agent: string }) =>
    said(`\`${agent}\` is not a valid agent name`),
  ),
  'no-step-named': form('invalid', () =>
    said('missing step: not running inside one', 'name it with `--step`'),
  ),
});
