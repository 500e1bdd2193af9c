/** The hooks of this program and their form in a settings file. */
import { defined } from '../../model/defined.ts';
import { type JsonArrayNode, type JsonNode, memberOf, textAt } from './json-tree.ts';

export interface HookPlan {
  /** The name in Claude Code. */
  readonly event: string;
  /** The name in `orchestrate hook`. */
  readonly name: string;
  readonly matcher?: string;
}

const AGENTS = 'Task|Agent';

export const HOOKS: readonly HookPlan[] = [
  { event: 'SessionStart', name: 'session-start' },
  { event: 'PreToolUse', name: 'pre-tool-use', matcher: AGENTS },
  { event: 'PostToolUse', name: 'post-tool-use', matcher: `${AGENTS}|TodoWrite|TaskCreate|TaskUpdate` },
  { event: 'PostToolUseFailure', name: 'post-tool-use-failure', matcher: AGENTS },
  { event: 'SubagentStop', name: 'subagent-stop' },
  { event: 'Stop', name: 'stop' },
  { event: 'StopFailure', name: 'stop-failure' },
];

/** One group of handlers in the list of an event, as written to the file. */
export function groupFor(plan: HookPlan, program: string): object {
  return {
    ...defined({ matcher: plan.matcher }),
    hooks: [{ type: 'command', command: `${program} hook ${plan.name}` }],
  };
}

/** Matches the program by name or by the path of any installation. */
export function isOurs(command: string | undefined, name: string): boolean {
  return command !== undefined && new RegExp(`\\borchestrate(?:\\.js)?["']? hook ${name}$`).test(command);
}

export interface FoundHook {
  readonly plan: HookPlan;
  readonly command: string;
  readonly list: JsonArrayNode;
  readonly group: JsonNode;
  readonly handlers: JsonArrayNode;
  readonly handler: JsonNode;
}

export function findHooks(root: JsonNode): readonly FoundHook[] {
  const hooks = memberOf(root, 'hooks')?.value;
  return HOOKS.flatMap((plan) => {
    const list = memberOf(hooks, plan.event)?.value;
    if (list?.type !== 'array') return [];
    return list.elements.flatMap((group) => {
      const handlers = memberOf(group, 'hooks')?.value;
      if (handlers?.type !== 'array') return [];
      return handlers.elements.flatMap((handler) => {
        const command = textAt(handler, 'command');
        return command !== undefined && isOurs(command, plan.name)
          ? [{ plan, command, list, group, handlers, handler }]
          : [];
      });
    });
  });
}
