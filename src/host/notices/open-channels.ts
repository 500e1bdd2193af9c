/** Turns settings into ways to send messages. */
import fs from 'node:fs';
import { describeFailure } from '../../model/describe-failure.ts';
import type { NotifyChannel, NotifyEventName, NotifyWay } from '../../model/notify.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { unreachable } from '../../model/unreachable.ts';
import {
  bellDelivery,
  commandDelivery,
  desktopDelivery,
  type RunsProgram,
} from '../../notify/command-delivery.ts';
import { type Delivery, Rejected } from '../../notify/delivery.ts';
import { httpDelivery } from '../../notify/http-delivery.ts';
import { notifyTarget } from '../../notify/render-request.ts';
import { addressOf } from '../../operations/config/find-channels.ts';
import type { Site } from '../../operations/site.ts';
import { childEnvironment } from '../../process/environment.ts';
import { runProcess } from '../../process/run-process.ts';

export interface OpenChannel {
  /** The same for the same way to send. */
  readonly id: string;
  readonly events: readonly NotifyEventName[];
  readonly delivery: Delivery;
}

const TIMEOUT_MS = 10_000;
const TAIL_BYTES = 200;

/** A way that is set twice is used once, for the events of both. `except`: an address that is notified otherwise. */
export function openChannels(
  channels: readonly NotifyChannel[],
  by: { readonly site: Site; readonly except?: string | undefined; onProblem(problem: string): void },
): readonly OpenChannel[] {
  const opened = new Map<string, OpenChannel>();
  for (const { way, events } of channels) {
    const address = addressOf(way, by.site.environment);
    if (address !== undefined && address === by.except) continue;
    const id = sha256(JSON.stringify(address ?? way)).slice(0, 12);
    const known = opened.get(id);
    if (known !== undefined) {
      opened.set(id, { ...known, events: [...new Set([...known.events, ...events])] });
      continue;
    }
    const delivery = deliveryOf(way, address, by.site);
    if (delivery.type === 'error') by.onProblem(`cannot notify: ${delivery.error}`);
    else opened.set(id, { id, events, delivery: delivery.value });
  }
  return [...opened.values()];
}

function deliveryOf(way: NotifyWay, address: string | undefined, site: Site): Result<Delivery, string> {
  switch (way.type) {
    case 'service':
    case 'service-in': {
      if (address === undefined || address === '')
        return error(
          `the environment variable \`${way.type === 'service-in' ? way.variable : ''}\` is not set`,
        );
      const target = notifyTarget(address, way.format);
      return target.type === 'ok' ? ok(httpDelivery(target.value)) : target;
    }
    case 'command':
      return ok(commandDelivery(way.argv, programRunner(site)));
    case 'desktop':
      return ok(desktopDelivery(programRunner(site), process.platform));
    case 'bell':
      return ok(bellDelivery(ring));
    default:
      return unreachable(way);
  }
}

/** Only a terminal has a bell. */
function ring(): void {
  if (process.stderr.isTTY === true) fs.writeSync(2, '\u0007');
}

function programRunner({ workspace, environment }: Site): RunsProgram {
  return async ({ argv, input, variables, signal }) => {
    const output = { files: [], headBytes: 0, tailBytes: TAIL_BYTES };
    const ended = await runProcess({
      argv,
      cwd: workspace,
      env: childEnvironment({
        base: environment,
        add: variables,
        runId: variables['ORCHESTRATE_NOTICE_RUN'] ?? '',
        runMark: 'notify',
        key: 'notify',
      }),
      stdin: { type: 'text', text: input },
      stdout: output,
      stderr: output,
      mask: [],
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    if (ended.type === 'not-started') throw new Rejected(describeFailure(ended.failure));
    if (ended.ended !== undefined) throw new Error('it did not end in time');
    if (ended.exitCode !== 0) {
      const said = ended.stderr.tail.toString('utf8').trim();
      throw new Rejected(`it ended with exit code ${ended.exitCode}${said === '' ? '' : `: ${said}`}`);
    }
  };
}
