/** The notifications of one run: from its workflow, the settings of its workspace and those of the user. */
import { defined } from '../../model/defined.ts';
import type { JsonValue } from '../../model/json.ts';
import type { RunNotice } from '../../notify/run-notice.ts';
import { findChannels, secretsOf } from '../../operations/config/find-channels.ts';
import { WORKSPACE_CONFIG } from '../../operations/config/places.ts';
import { firstMistake } from '../../operations/config/read-config.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { workspaceId } from '../../operations/serving/workspace-id.ts';
import type { Site } from '../../operations/site.ts';
import { valuesToMask } from '../../process/environment.ts';
import { redactor } from '../../process/redact.ts';
import { openChannels } from './open-channels.ts';
import { RunNotices, type RunNoticesOptions } from './run-notices.ts';

export interface NoticesFor {
  readonly site: Site;
  readonly state?: RunNoticesOptions['state'];
  /** The address that a loop notifies by itself. */
  readonly except?: string | undefined;
  onProblem(problem: string): void;
}

export interface FoundNotices {
  readonly notices?: RunNotices;
  /** Credentials in addresses. */
  readonly secrets: readonly string[];
}

export function noticesFor(plan: RunPlan, by: NoticesFor): FoundNotices {
  const { site } = by;
  const { channels: set, publicUrl, untrusted, diagnostics } = findChannels(site);
  const mistake = firstMistake(diagnostics);
  if (mistake !== undefined) by.onProblem(`${mistake}; the settings of this file are not used`);
  if (untrusted !== undefined)
    by.onProblem(
      `\`${WORKSPACE_CONFIG}\` sets notifications that you have not trusted, so they are not sent; review them, then use \`--trust\``,
    );
  const channels = [...(plan.notify ?? []), ...set];
  const secrets = secretsOf(channels, site.environment);
  const open = openChannels(channels, { site, except: by.except, onProblem: by.onProblem });
  if (open.length === 0) return { secrets };
  const redact = redactor([
    ...valuesToMask(site.environment as { readonly [name: string]: string }, plan.secrets),
    ...secrets,
  ]);
  const publicPage =
    publicUrl === undefined
      ? undefined
      : `${new URL(publicUrl).origin}/w/${encodeURIComponent(workspaceId(site.workspace))}/runs/${plan.runId}`;
  const notices = new RunNotices({
    plan,
    channels: open,
    ...defined({ publicPage, state: by.state }),
    redact: (notice) => (redact?.(notice as unknown as JsonValue) ?? notice) as unknown as RunNotice,
    onProblem: by.onProblem,
  });
  return { notices, secrets };
}
