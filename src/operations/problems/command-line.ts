/** Problems with the options of a command. */
import { describeFailure, errnoWords } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { form, said } from '../../model/problem-form.ts';

interface OfFolder {
  readonly folder: string;
}

export const commandLineProblems = () => ({
  /** `reason`: which of `name=value`, and what is wrong with it. */
  'invalid-pairs': form('invalid', ({ reason }: { readonly reason: string }) => said(reason)),
  'not-pairs': form('invalid', () =>
    said('`--metric` and `--next` must have the form `name=value`', 'for example: `--metric files=3`'),
  ),
  'invalid-permissions': form('invalid', ({ given }: { readonly given: string }) =>
    said(`\`--permissions ${given}\` is neither \`default\` nor \`bypass\``),
  ),
  'invalid-retries': form('invalid', () => said('`--retries` must be a whole number, 0 or more')),
  'invalid-timeout': form('invalid', () => said('`--timeout` must be a whole number of seconds')),
  'several-log-kinds': form('invalid', () =>
    said('`--stderr`, `--prompt` and `--response` cannot be combined', 'use one of them'),
  ),
  'global-and-workspace': form('invalid', () => said('Use only one of --global and --workspace.')),
  'verbose-and-quiet': form('invalid', () => said('Use only one of --verbose and --quiet.')),
  'several-output-levels': form('invalid', () => said('Use only one of --verbose, --quiet and --output.')),
  'summary-and-file': form('invalid', () => said('give either `--summary` or `--file`')),
  'phases-from-one-source': form('invalid', () =>
    said('give phases with exactly one of `--phase`, `--file` and `--plan`'),
  ),
  'plan-from-one-source': form('invalid', () =>
    said(
      'nothing to plan, or more than one source',
      'give exactly one of: a text, `--file`, `--issue`, `--issues`, `--from`',
    ),
  ),
  'cut-without-run': form('invalid', () =>
    said('`--cut` needs a run', 'use `orchestrate doctor <run> --cut`'),
  ),
  'loose-without-replay': form('invalid', () =>
    said(
      '`--replay-loose` needs `--replay`',
      'name the run or folder with the cassettes: `--replay <run|folder>`',
    ),
  ),
  'remote-not-allowed': form('invalid', ({ host }: { readonly host: string }) =>
    said(
      `other machines could reach the page on ${host}`,
      'if that is what you want, add `--allow-remote --public-url <url>`',
    ),
  ),
  'remote-without-url': form('invalid', () =>
    said(
      '`--allow-remote` needs `--public-url`',
      'give the address that other machines use, such as `--public-url https://runs.example.com`',
    ),
  ),
  'not-a-folder': form('invalid', ({ folder }: OfFolder) =>
    said(`\`${folder}\` is not a folder`, 'name the folder of a workspace'),
  ),
  'cannot-serve': form('not-found', ({ folder, code }: OfFolder & { readonly code: string }) =>
    said(`cannot serve \`${folder}\`: ${errnoWords(code)}`),
  ),
  'no-plan': form('invalid', () => said('no plan on standard input', 'use `--detach`')),
  'cannot-ask': form('failed', ({ removing }: { readonly removing: string }) =>
    said(`cannot ask before removing ${removing}: not a terminal`, 'use `--force` to remove without asking'),
  ),
  'nothing-removed': form('invalid', () =>
    said('Nothing was removed: cannot ask, not a terminal.', 'use --force'),
  ),
  'setup-needs-terminal': form('invalid', ({ name }: { readonly name: string }) =>
    said('setup with an agent needs a terminal', `claude-iterate setup ${name} --from <file>`),
  ),
  'loop-report-failed': form(
    'failed',
    ({ purpose, failure }: { readonly purpose: 'Verification' | 'Validation'; readonly failure: Failure }) =>
      said(`${purpose} failed: ${describeFailure(failure)}`),
  ),
});
