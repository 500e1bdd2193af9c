/**
 * What the rules say about a tool call.
 *
 * K1 A rule that asks or denies matches if it may apply; a rule that allows, only if it certainly does.
 * K2 A command is a script: every simple command in it is decided, and the strictest decision counts.
 * K3 What cannot be analysed matches every rule that asks or denies, and is asked about, not denied.
 * K4 A path is compared as it is written and as it resolves: `..`, links and absolute paths lead to the same rule.
 */
import type { AskAction, AskRule } from '../../model/ask-rule.ts';
import type { JsonObject } from '../../model/json.ts';
import { matchesText } from '../../store/glob-pattern.ts';
import { type ListedCommand, listCommands } from '../../template/shell/list-commands.ts';
import { allowsCommand, matchCommand } from './match-command.ts';
import { allowsPath, mayMatchPath, type Place, pathsOf } from './match-path.ts';

export interface ToolCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Undefined: no rule matches. */
export function decide(rules: readonly AskRule[], call: ToolCall, place: Place): AskAction | undefined {
  const own = rules.filter((rule) => concerns(rule, call.tool));
  const { command } = call.input;
  if (typeof command === 'string' && own.some((rule) => rule.command !== undefined))
    return decideCommand(own, command);
  const paths = pathsOf(call.input, place);
  return own.find((rule) => {
    if (rule.command !== undefined) return rule.do !== 'allow' && isNamed(rule, call.tool);
    if (rule.path === undefined) return true;
    // K3: a tool that the rule names, but which does not say what it touches.
    if (paths === undefined) return rule.do !== 'allow' && isNamed(rule, call.tool);
    return rule.do === 'allow' ? allowsPath(rule.path, paths, place) : mayMatchPath(rule.path, paths, place);
  })?.do;
}

const STRICTNESS = ['allow', undefined, 'ask', 'deny'] as const;

/** K2 */
function decideCommand(rules: readonly AskRule[], script: string): AskAction | undefined {
  const own = rules.filter(({ path }) => path === undefined);
  const { commands, isUnclear } = listCommands(script);
  const decisions = commands.flatMap((command) => {
    const decision = decideOne(own, command);
    // What is launched may be forbidden, but does not allow the command that launches it.
    return command.isLaunched && decision === 'allow' ? [] : [decision];
  });
  if (isUnclear || decisions.length === 0) decisions.push(unclearDecision(own));
  return decisions.reduce((strictest, each) =>
    STRICTNESS.indexOf(each) > STRICTNESS.indexOf(strictest) ? each : strictest,
  );
}

function decideOne(rules: readonly AskRule[], command: ListedCommand): AskAction | undefined {
  for (const rule of rules) {
    if (rule.command === undefined) return rule.do;
    if (rule.do === 'allow') {
      if (allowsCommand(rule.command, command)) return 'allow';
      continue;
    }
    const match = matchCommand(rule.command, command);
    // K3
    if (match !== 'no') return match === 'yes' ? rule.do : 'ask';
  }
  return undefined;
}

/** K3 */
function unclearDecision(rules: readonly AskRule[]): AskAction | undefined {
  const found = rules.find((rule) => rule.command === undefined || rule.do !== 'allow');
  return found?.command !== undefined && found.do === 'deny' ? 'ask' : found?.do;
}

function concerns({ tools }: AskRule, tool: string): boolean {
  return tools === undefined || tools.some((name) => matchesTool(name, tool));
}

/** Whether the rule names the tool, and does not only concern every tool. */
function isNamed({ tools }: AskRule, tool: string): boolean {
  return tools?.some((name) => name !== '*' && matchesTool(name, tool)) === true;
}

/** Claude Code has two names for the tool that starts a subagent. */
function matchesTool(name: string, tool: string): boolean {
  const names = tool === 'Agent' || tool === 'Task' ? ['Agent', 'Task'] : [tool];
  return names.some((each) => {
    const matches = matchesText(name, each);
    return matches.type === 'ok' && matches.value;
  });
}
