import { workspaceLayer } from '../../iterate/config/layers.ts';
import {
  MODE_MAX_ITERATIONS,
  MODES,
  type Mode,
  NOTIFY_EVENTS,
  type NotifyEvent,
} from '../../iterate/mode.ts';
import { isWorkspaceName } from '../../iterate/workspace/layout.ts';
import { createMetadata } from '../../iterate/workspace/metadata.ts';
import { createWorkspace } from '../../iterate/workspace/workspaces.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { notifyTarget } from '../../notify/render-request.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { agentCalled } from './site/agent.ts';
import { type Loops, type OfLoop, openLoops } from './site/loops.ts';
import { trustSettings } from './site/trust-settings.ts';

export interface CreateLoop extends OfLoop {
  readonly mode?: string | undefined;
  readonly maxIterations?: number | undefined;
  /** Seconds between iterations. */
  readonly delay?: number | undefined;
  readonly stagnationThreshold?: number | undefined;
  readonly notifyUrl?: string | undefined;
  readonly notifyEvents?: readonly string[] | undefined;
  readonly agent?: string | undefined;
}

export interface LoopCreated {
  readonly folder: string;
  /** Why the user will still be asked to trust its settings. */
  readonly trustProblem?: string;
}

export async function createLoop(site: Site, asked: CreateLoop): Promise<Result<LoopCreated, Problem>> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const problem = impossible(loops.value, asked);
  if (problem !== undefined) return error(problem);
  const { config, workspacesDir } = loops.value;
  const { name, notifyUrl, notifyEvents, agent } = asked;
  const mode = (asked.mode ?? 'loop') as Mode;
  const metadata = createMetadata(
    {
      name,
      mode,
      maxIterations:
        asked.maxIterations ??
        config.get<number | undefined>('defaultMaxIterations') ??
        MODE_MAX_ITERATIONS[mode],
      delay: asked.delay ?? config.get<number>('defaultDelay'),
      stagnationThreshold: asked.stagnationThreshold ?? config.get<number>('defaultStagnationThreshold'),
      ...defined({ notifyUrl }),
      ...(notifyEvents === undefined ? {} : { notifyEvents: notifyEvents as NotifyEvent[] }),
      ...(agent === undefined ? {} : { config: { agent } }),
    },
    site.now(),
  );
  const created = await createWorkspace(workspacesDir, metadata);
  if (created.type === 'error')
    return error(
      created.error.type === 'broken'
        ? { type: 'broken-loop', reason: created.error.message }
        : { type: 'loop-exists', name },
    );
  const { folder, metadata: file } = created.value.paths;
  const layer = workspaceLayer(metadata, file);
  const trustProblem =
    layer.type === 'ok' ? await trustSettings(site, config, config.with(layer.value)) : undefined;
  return ok({ folder, ...defined({ trustProblem }) });
}

function impossible({ config }: Loops, asked: CreateLoop): Problem | undefined {
  const { name, mode, notifyUrl, notifyEvents, agent } = asked;
  if (!isWorkspaceName(name)) return { type: 'invalid-loop-name' };
  if (mode !== undefined && !MODES.includes(mode as Mode)) return { type: 'invalid-mode', mode };
  const unknown = notifyEvents?.find((event) => !NOTIFY_EVENTS.includes(event as NotifyEvent));
  if (unknown !== undefined) return { type: 'invalid-notify-event', event: unknown, events: NOTIFY_EVENTS };
  const target = notifyUrl === undefined ? undefined : notifyTarget(notifyUrl, 'ntfy');
  if (target?.type === 'error') return { type: 'invalid-notify-url', reason: target.error };
  const chosen = agent === undefined ? undefined : agentCalled(agent, config);
  return chosen?.type === 'error' ? chosen.error : undefined;
}
