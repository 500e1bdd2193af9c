/** What the files of a conversation, and not the user, set to run without a question of its own. */
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

/** A tool that a person is asked about is shown then. */
function toolClaim({ name, does, approve }: Tool): readonly Claim[] {
  if (approve !== 'never') return [];
  if (does.type === 'builtin' && does.name !== 'run_command') return [];
  const value = does.type === 'command' ? does.argv : 'any command that the agent asks for';
  return [{ name: `tool ${name}`, value, file: CONFIG.tools }];
}
