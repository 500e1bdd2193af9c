/** Problems with the loops of `claude-iterate`. */
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { form, meant, said } from '../../model/problem-form.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { Held } from '../../store/lock.ts';

interface Named {
  readonly name: string;
}

/** Why not, in the words of the part that could not do it. */
interface WithReason {
  readonly reason: string;
}

export const loopProblems = () => ({
  'loop-not-found': form('not-found', ({ name, near }: Named & { readonly near?: string | undefined }) =>
    said(`Workspace not found: ${name}`, meant(near, `claude-iterate init ${name}`)),
  ),
  'loop-without-metadata': form('not-found', ({ name }: Named) => said(`Workspace not found: ${name}`)),
  'invalid-loop-name': form('invalid', () =>
    said('Invalid workspace name. Use only letters, numbers, hyphens, and underscores.'),
  ),
  'loop-exists': form('conflict', ({ name }: Named) =>
    said(`Workspace already exists: ${name}`, `claude-iterate show ${name}`),
  ),
  'broken-loop': form('failed', ({ reason }: WithReason) => said(reason)),
  'loop-held': form('held', ({ name, held }: Named & { readonly held: Held }) =>
    said(
      `Workspace is already running: ${name} (${holderText(held)})`,
      holderHelp(held) ?? `stop it after its current iteration: claude-iterate stop ${name}`,
    ),
  ),
  'loop-not-running': form('conflict', ({ name }: Named) => said(`Workspace is not running: ${name}`)),
  'cannot-set-idle-loop': form('conflict', ({ name }: Named) =>
    said(
      `Workspace is not running: ${name}`,
      `change its settings with: claude-iterate config -w ${name} <key> <value>`,
    ),
  ),
  'nothing-to-set': form('invalid', ({ name }: Named) =>
    said('nothing to change', `claude-iterate set ${name} --help`),
  ),
  'loop-never-run': form('conflict', ({ name }: Named) =>
    said(`\`${name}\` has not been run yet`, `claude-iterate run ${name}`),
  ),
  'no-loop-run-since': form('not-found', ({ since }: { readonly since: string }) =>
    said(`no loop was run since ${since}`, 'use --since 7d, or name a workspace'),
  ),
  'loop-run-meanwhile': form('conflict', ({ name }: Named) =>
    said(
      `another process has run \`${name}\` in the meantime`,
      `see its progress with: claude-iterate show ${name}`,
    ),
  ),

  'no-instructions': form('conflict', ({ name }: Named) =>
    said(`Instructions not found. Run setup first: claude-iterate setup ${name}`),
  ),
  'empty-instructions': form('invalid', ({ file }: { readonly file: string }) =>
    said(`\`${file}\` is empty`),
  ),
  'no-instructions-written': form('failed', ({ name }: Named) =>
    said('no instructions were written', `claude-iterate setup ${name}`),
  ),
  'agent-exited': form('failed', ({ exitCode }: { readonly exitCode: number }) =>
    said(`the agent exited with code ${exitCode}`),
  ),
  'status-being-written': form('held', () => said('another process is writing the status')),

  'invalid-loop-settings': form('invalid', ({ reason }: WithReason) => said(reason)),
  'unknown-loop-setting': form(
    'not-found',
    ({ key, near }: { readonly key: string; readonly near?: string | undefined }) =>
      said(
        `unknown setting \`${key}\`${near === undefined ? '' : `; did you mean \`${near}\`?`}`,
        'claude-iterate config --keys',
      ),
  ),
  'invalid-setting-value': form('invalid', ({ key, reason }: WithReason & { readonly key: string }) =>
    said(`\`${key}\`: ${reason}`),
  ),
  'not-a-workspace-setting': form('invalid', ({ key }: { readonly key: string }) =>
    said(`\`${key}\` cannot be set for a single workspace`),
  ),
  'setting-not-changed': form('failed', ({ reason }: WithReason) => said(reason)),
  'invalid-mode': form('invalid', ({ mode }: { readonly mode: string }) =>
    said(`Invalid mode: ${mode}. Use loop or iterative.`),
  ),
  'invalid-loop-status': form(
    'invalid',
    ({ status, statuses }: { readonly status: string; readonly statuses: readonly string[] }) =>
      said(`Invalid status: ${status}. Use ${statuses.join(', ')}.`),
  ),
  'invalid-output-level': form('invalid', ({ level }: { readonly level: string }) =>
    said(`Invalid output level: ${level}. Use quiet, progress or verbose.`),
  ),
  'invalid-depth': form('invalid', ({ depth }: { readonly depth: string }) =>
    said(`Invalid depth: ${depth}. Use quick, standard or deep.`),
  ),
  'invalid-notify-event': form(
    'invalid',
    ({ event, events }: { readonly event: string; readonly events: readonly string[] }) =>
      said(`Invalid notify event: ${event}`, `use ${events.join(', ')}`),
  ),
  'invalid-notify-url': form('invalid', ({ reason }: WithReason) => said(`Invalid notify URL: ${reason}`)),

  'loop-agent-missing': form(
    'not-found',
    ({ agent, program }: { readonly agent: string; readonly program: string }) =>
      said(
        `${agent === 'claude' ? 'Claude CLI' : 'Agent'} not found. Make sure '${program}' is installed and in PATH.`,
      ),
  ),
  'check-program-missing': form(
    'not-found',
    ({ command, program }: { readonly command: string; readonly program: string }) =>
      said(
        `the check \`${command}\` cannot be run: \`${program}\` is not in PATH`,
        'the task could never be complete: install it, or change the check',
      ),
  ),
  'invalid-check': form('invalid', ({ reason }: WithReason) => said(`the check cannot be run: ${reason}`)),
  'budget-without-cost': form('invalid', ({ agent }: { readonly agent: string }) =>
    said(
      `--budget-usd has no effect: the agent \`${agent}\` does not report its cost`,
      'use --budget-calls, --budget-tokens or --budget-minutes',
    ),
  ),
  'agent-cannot-ask': form('invalid', ({ agent }: { readonly agent: string }) =>
    said(
      `the agent \`${agent}\` cannot stop at a tool call and continue with it later, as the setting \`ask\` needs`,
      'use the agent `claude`, or remove the rules with `claude-iterate config ask --unset`',
    ),
  ),

  'loop-archive-not-found': form('not-found', ({ archive }: { readonly archive: string }) =>
    said(`Archive not found: ${archive}`, 'claude-iterate archive list'),
  ),
  'loop-archive-not-created': form('failed', ({ reason }: WithReason) =>
    said(`Could not create the archive: ${reason}`),
  ),
  'loop-archive-not-restored': form('failed', ({ reason }: WithReason) =>
    said(`Could not restore the archive: ${reason}`),
  ),
  'loop-archive-not-read': form('failed', ({ reason }: WithReason) =>
    said(`Could not read the archive: ${reason}`),
  ),
  'loop-not-removed': form('failed', ({ reason }: WithReason) =>
    said(`Nothing was removed: could not create the archive: ${reason}`),
  ),
  'loop-template-not-found': form('not-found', ({ reason }: WithReason) =>
    said(reason, 'claude-iterate template list'),
  ),
  'loop-template-not-saved': form('failed', ({ reason }: WithReason) => said(reason)),
  'loop-report-not-written': form('failed', ({ failure }: { readonly failure: Failure }) =>
    said(`cannot write the report: ${describeFailure(failure)}`),
  ),
});
