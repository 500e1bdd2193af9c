/** Commands in a conversation's files, not set by the user, that run without asking. */
import { isInside } from '../../store/relative-path.ts';
import type { Claim } from '../../store/trust.ts';
import type { Tool } from '../input.ts';
import { CONFIG } from '../layout.ts';
import type { ConverseConfig } from './load-config.ts';

export function claimsOf(config: ConverseConfig, folder: string): readonly Claim[] {
  const { choice } = config.agent;
  const [command, args] =
    choice.type === 'builtin' ? [choice.command, choice.extraArgs ?? []] : [choice.argv, []];
  const file = CONFIG.workflow;
  return [
    ...(command === undefined ? [] : [{ name: 'agent.command', value: command, file }]),
    ...(args.length === 0 ? [] : [{ name: 'agent.args', value: args, file }]),
    ...(isInside(folder, config.root) ? [] : [{ name: 'root', value: config.root, file }]),
    ...config.tools.flatMap((tool) => toolClaim(tool)),
  ];
}

/** A tool that needs approval is shown when the user is asked. */
function toolClaim({ name, does, approve }: Tool): readonly Claim[] {
  if (approve !== 'never') return [];
  if (does.type === 'builtin' && does.name !== 'run_command') return [];
  const value = does.type === 'command' ? does.argv : 'any command that the agent requests';
  return [{ name: `tool ${name}`, value, file: CONFIG.tools }];
}
