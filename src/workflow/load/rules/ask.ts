/** Checks `ask`: every rule can match, and every agent of the step can stop at a tool call. */
import { canAsk } from '../../../model/ask-rule.ts';
import { type AskRuleSource, defineAsk } from '../../../model/ask-schema.ts';
import { checkAsk } from '../../../store/check-ask.ts';
import type { Places } from '../../../store/yaml/places.ts';
import type { Report } from '../../../store/yaml/report.ts';
import { adapterOf } from '../define/define-provider.ts';
import { type Check, called, stepsOf } from './rule.ts';
import { agentsOf } from './tools.ts';

export function checkAsks(check: Check): void {
  const { providers = {} } = check.file.source;
  for (const [name, provider] of Object.entries(providers)) {
    checkAskList(provider, { places: check.file.places, report: check.report });
    if ((provider.ask ?? []).length === 0) continue;
    if (!isAble(check, name)) refuse(check, provider, `the provider \`${name}\``);
    // Its rules count for those that take over, unless they have their own.
    const unable = (provider.fallback ?? []).find(
      (other) =>
        (Object.hasOwn(providers, other) ? providers[other]?.ask : undefined) === undefined &&
        !isAble(check, other),
    );
    if (unable !== undefined)
      refuse(check, provider, `\`${unable}\`, to which the provider \`${name}\` switches,`);
  }
  for (const { step } of stepsOf(check)) {
    checkAskList(step, { places: check.file.places, report: check.report });
    if (step.provider === undefined && step.command_override === undefined) continue;
    const agents = agentsOf(check, step);
    const unable = agents.find((name) => !isAble(check, name));
    if ((step.ask ?? []).length > 0 && unable !== undefined)
      refuse(check, step, `\`${unable}\`, an agent of ${called(step)},`);
    const [first = ''] = agents;
    const own = Object.hasOwn(providers, first) ? providers[first] : undefined;
    const rules = step.ask ?? own?.ask ?? [];
    const { args } = { ...own?.defaults, ...step.provider_params };
    if (rules.length > 0 && Array.isArray(args) && args.some(isSettings)) refuseSettings(check, step, own);
  }
}

interface HasRules {
  readonly ask?: readonly AskRuleSource[] | undefined;
}

/** Also for other files with such a list. */
export function checkAskList(
  { ask }: HasRules,
  { places, report }: { readonly places: Places; readonly report: Report<'workflow/invalid-value'> },
): void {
  if (ask === undefined) return;
  for (const { index, key, message, help } of checkAsk(defineAsk(ask))) {
    const rule = ask[index];
    if (rule !== undefined)
      report.error('workflow/invalid-value', places.valueRange(rule, key), { message, help });
  }
}

function isAble(check: Check, name: string): boolean {
  const declared = check.file.source.providers ?? {};
  const provider = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (provider?.command !== undefined || name === 'command_override') return false;
  const adapter = adapterOf(name, provider ?? {});
  // An unknown provider is reported by another rule.
  return canAsk(adapter) || (adapter === 'plain' && provider === undefined);
}

function refuse(check: Check, source: HasRules, who: string): void {
  check.report.error('workflow/unsupported-option', check.file.places.keyRange(source, 'ask'), {
    message: `${who} cannot stop at a tool call and continue with it later, as \`ask\` needs`,
    help: 'it works with the built-in command line of `claude`; use `denied_tools` or `sandbox` for others',
  });
}

function isSettings(argument: unknown): boolean {
  return typeof argument === 'string' && /^--settings(?:=|$)/.test(argument);
}

/** Claude Code uses only the last `--settings`. */
function refuseSettings(
  check: Check,
  step: HasRules & object,
  provider: (HasRules & object) | undefined,
): void {
  const source = step.ask === undefined && provider !== undefined ? provider : step;
  check.report.error('workflow/conflicting-keys', check.file.places.keyRange(source, 'ask'), {
    message: '`--settings` among the arguments of the agent replaces the hook of `ask`',
    help: "put these settings into the agent's own settings file",
  });
}
