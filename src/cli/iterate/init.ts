import { workspaceLayer } from '../../iterate/config/layers.ts';
import {
  MODE_MAX_ITERATIONS,
  MODES,
  type Mode,
  NOTIFY_EVENTS,
  type NotifyEvent,
} from '../../iterate/mode.ts';
import { INVALID_NAME, isWorkspaceName } from '../../iterate/workspace/layout.ts';
import { createMetadata } from '../../iterate/workspace/metadata.ts';
import { createWorkspace } from '../../iterate/workspace/workspaces.ts';
import { notifyTarget } from '../../notify/render-request.ts';
import { EXIT } from '../exit-codes.ts';
import { agentCalled } from './run/agent.ts';
import { type IterateSite, refuse, shownPath, trustSettings } from './site/site.ts';

export interface InitFlags {
  readonly maxIterations?: number;
  readonly delay?: number;
  readonly stagnationThreshold?: number;
  readonly mode?: string;
  readonly notifyUrl?: string;
  readonly notifyEvents?: readonly string[];
  readonly agent?: string;
}

export async function init(site: IterateSite, name: string, flags: InitFlags): Promise<void> {
  const { context, config, workspacesDir } = site;
  if (!isWorkspaceName(name)) return refuse(context, INVALID_NAME);
  const mode = (flags.mode ?? 'loop') as Mode;
  if (!MODES.includes(mode)) return refuse(context, `Invalid mode: ${flags.mode}. Use loop or iterative.`);
  const events = flags.notifyEvents?.flatMap((each) => each.split(',')).map((each) => each.trim());
  const unknown = events?.find((event) => !NOTIFY_EVENTS.includes(event as NotifyEvent));
  if (unknown !== undefined) {
    return refuse(context, `Invalid notify event: ${unknown}`, `use ${NOTIFY_EVENTS.join(', ')}`);
  }
  const target = flags.notifyUrl === undefined ? undefined : notifyTarget(flags.notifyUrl, 'ntfy');
  if (target?.type === 'error') return refuse(context, `Invalid notify URL: ${target.error}`);
  const agent = flags.agent === undefined ? undefined : agentCalled(flags.agent, config);
  if (agent?.type === 'error') return refuse(context, agent.error);
  const metadata = createMetadata(
    {
      name,
      mode,
      maxIterations:
        flags.maxIterations ??
        config.get<number | undefined>('defaultMaxIterations') ??
        MODE_MAX_ITERATIONS[mode],
      delay: flags.delay ?? config.get<number>('defaultDelay'),
      stagnationThreshold: flags.stagnationThreshold ?? config.get<number>('defaultStagnationThreshold'),
      ...(flags.notifyUrl === undefined ? {} : { notifyUrl: flags.notifyUrl }),
      ...(events === undefined ? {} : { notifyEvents: events as NotifyEvent[] }),
      ...(flags.agent === undefined ? {} : { config: { agent: flags.agent } }),
    },
    new Date(),
  );
  const created = await createWorkspace(workspacesDir, metadata);
  if (created.type === 'error') {
    if (created.error.type === 'broken') return refuse(context, created.error.message);
    return refuse(context, `Workspace already exists: ${name}`, `claude-iterate show ${name}`);
  }
  const layer = workspaceLayer(metadata, created.value.paths.metadata);
  if (layer.type === 'ok') await trustSettings(site, config, config.with(layer.value));
  context.out(`✓ Workspace created: ${name}\n  ${shownPath(context, created.value.paths.folder)}\n`);
  context.err(`Next: claude-iterate setup ${name}\n`);
  context.exitCode = EXIT.done;
}
