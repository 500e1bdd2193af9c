/** Messages for the user's own machine: a program of the user, the desktop, the bell of the terminal. */
import type { Delivery } from './delivery.ts';
import type { Message } from './notice.ts';

export interface RunProgram {
  readonly argv: readonly string[];
  readonly input: string;
  readonly variables: { readonly [name: string]: string };
  readonly signal: AbortSignal;
}

/** Runs a program to its end. Rejects, with a sentence, if it cannot be started or fails. */
export type RunsProgram = (asked: RunProgram) => Promise<void>;

export function commandDelivery(argv: readonly string[], run: RunsProgram): Delivery {
  return {
    shown: `with \`${argv[0] ?? ''}\``,
    deliver: (message, signal) =>
      run({ argv, input: `${JSON.stringify(message)}\n`, variables: variablesOf(message), signal }),
  };
}

export function desktopDelivery(run: RunsProgram, platform: NodeJS.Platform): Delivery {
  return {
    shown: 'the desktop',
    deliver: (message, signal) =>
      run({ argv: desktopCommand(message, platform), input: '', variables: {}, signal }),
  };
}

/** The text is an argument, never part of a script. */
export function desktopCommand(
  { title, body, priority }: Message,
  platform: NodeJS.Platform,
): readonly string[] {
  if (platform === 'darwin')
    return [
      'osascript',
      ...['-e', 'on run argv', '-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
      ...['-e', 'end run', title, body],
    ];
  const urgency = priority === 'default' ? 'normal' : 'critical';
  return ['notify-send', '--app-name=Orchestrate', `--urgency=${urgency}`, '--', title, body];
}

export function bellDelivery(ring: () => void): Delivery {
  return { shown: 'the terminal', deliver: async () => ring() };
}

function variablesOf(message: Message): { readonly [name: string]: string } {
  const { event, title, body, run_id = '', kind = '', step = '', url = '' } = message;
  return {
    ORCHESTRATE_NOTICE_EVENT: event,
    ORCHESTRATE_NOTICE_TITLE: title,
    ORCHESTRATE_NOTICE_BODY: body,
    ORCHESTRATE_NOTICE_RUN: run_id,
    ORCHESTRATE_NOTICE_KIND: kind,
    ORCHESTRATE_NOTICE_STEP: step,
    ORCHESTRATE_NOTICE_URL: url,
  };
}
