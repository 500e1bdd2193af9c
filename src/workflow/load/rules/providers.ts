import { AGENT_NAMES } from '../../../model/agent.ts';
import { nearest } from '../../../model/suggest.ts';
import { textOnlyAgent } from '../../../model/text-only-agent.ts';
import { list } from '../../../store/yaml/shape/describe-shape.ts';
import { type Reference, referencesOf } from '../../../template/template.ts';
import { PROMPT } from '../../definition.ts';
import type { ProviderSource } from '../../schema/provider.ts';
import type { StepSource } from '../../schema/step.ts';
import { adapterOf } from '../define/define-provider.ts';
import { loopItems } from '../step-index.ts';
import { type Check, called, stepsOf } from './rule.ts';

export function checkProviders(check: Check): void {
  const { providers: declared = {}, defaults = {} } = check.file.source;
  for (const [name, provider] of Object.entries(declared)) {
    checkCommand(check, name, provider);
    checkTextOnly(check, name, provider);
    checkFallback(check, name, provider);
  }
  for (const { step } of stepsOf(check)) {
    checkTextOnlyOverride(check, step);
    if (step.provider === undefined || step.provider === '') continue;
    if (isKnown(check, step.provider) || !check.file.places.has(step, 'provider')) continue;
    check.report.error('workflow/unknown-provider', check.file.places.valueRange(step, 'provider'), {
      message: `unknown provider \`${step.provider}\` in ${called(step)}`,
      help: helpFor(check, step.provider),
    });
  }
  if (defaults.provider !== undefined && defaults.provider !== '' && !isKnown(check, defaults.provider)) {
    check.report.error('workflow/unknown-provider', check.file.places.valueRange(defaults, 'provider'), {
      message: `unknown provider \`${defaults.provider}\` in \`defaults\``,
      help: helpFor(check, defaults.provider),
    });
  }
  checkPlaceholders(check);
}

function isKnown(check: Check, name: string): boolean {
  return Object.hasOwn(check.file.source.providers ?? {}, name) || isBuiltIn(name);
}

function isBuiltIn(name: string): boolean {
  return AGENT_NAMES.some((known) => known === name);
}

function helpFor(check: Check, name: string): string {
  const names = [...new Set([...Object.keys(check.file.source.providers ?? {}), ...AGENT_NAMES])];
  const meant = nearest(name, names);
  return meant === undefined
    ? `known providers are ${list(names)}; declare others under \`providers\``
    : `did you mean \`${meant}\`?`;
}

function checkCommand(check: Check, name: string, provider: ProviderSource): void {
  const { places } = check.file;
  const declared = check.file.source.providers ?? {};
  if (provider.command === undefined) {
    if (adapterOf(name, provider) !== 'plain' || !places.isWhole(provider)) return;
    check.report.error('workflow/missing-key', places.keyRange(declared, name), {
      message: `the provider \`${name}\` needs the key \`command\``,
      help: `or set \`adapter\` to one of ${list(AGENT_NAMES)} to use its built-in command line`,
    });
    return;
  }
  const prompts = provider.command.flatMap((text, index) =>
    placesOf(check, text).flatMap((reference) =>
      reference.text === PROMPT ? [{ text, index, reference }] : [],
    ),
  );
  if (provider.input_mode === 'stdin') {
    for (const { text, index, reference } of prompts) {
      check.report.error(
        'workflow/prompt-in-stdin',
        places.partRange(provider.command, index, { text, start: reference.start, end: reference.end }),
        {
          message: `the provider \`${name}\` gets its prompt on standard input, but its command contains \`\${${PROMPT}}\``,
          help: `remove \`\${${PROMPT}}\`, or set \`input_mode: argv\``,
        },
      );
    }
  } else if (prompts.length === 0 && provider.command.length > 0) {
    check.report.warning('workflow/prompt-not-used', places.keyRange(provider, 'command'), {
      message: `the provider \`${name}\` never gets the prompt: its command has no \`\${${PROMPT}}\``,
      help: `add \`\${${PROMPT}}\`, or set \`input_mode: stdin\``,
    });
  }
}

/** Without its stream, a denied tool, a usage limit and a cost of the agent are not seen: its outcome is only its exit code. */
function checkTextOnly(check: Check, name: string, provider: ProviderSource): void {
  const agent = textOnlyAgent(provider.command ?? []);
  if (agent === undefined || adapterOf(name, provider) !== 'plain') return;
  check.report.warning('provider/unstructured-agent', check.file.places.keyRange(provider, 'command'), {
    message: `the provider \`${name}\` reads only the text of \`${agent}\`: denied tools, usage limits and costs are not seen, and its outcome is only its exit code`,
    help: `omit \`command\` and set \`adapter: ${agent}\`, or ask for proof with \`expect\``,
  });
}

/** The same for the command of one step, unless it has to prove its work. */
function checkTextOnlyOverride(check: Check, step: StepSource): void {
  const agent = textOnlyAgent(step.command_override ?? []);
  if (agent === undefined || step.provider !== undefined || step.expect !== undefined) return;
  check.report.warning('provider/unstructured-agent', check.file.places.keyRange(step, 'command_override'), {
    message: `${called(step)} reads only the text of \`${agent}\`: denied tools, usage limits and costs are not seen, and its outcome is only its exit code`,
    help: `use \`provider: ${agent}\`, or ask for proof with \`expect\``,
  });
}

function checkFallback(check: Check, name: string, provider: ProviderSource): void {
  const { places } = check.file;
  for (const [index, other] of (provider.fallback ?? []).entries()) {
    const container = provider.fallback ?? [];
    if (other === name) {
      check.report.error('workflow/fallback-to-itself', places.valueRange(container, index), {
        message: `the provider \`${name}\` is its own fallback`,
      });
    } else if (other !== '' && !isKnown(check, other)) {
      check.report.error('workflow/unknown-provider', places.valueRange(container, index), {
        message: `the provider \`${name}\` falls back to unknown provider \`${other}\``,
        help: helpFor(check, other),
      });
    }
  }
}

/** Only a warning, since `--agent` may replace the provider. */
function checkPlaceholders(check: Check): void {
  const { providers: declared = {}, defaults = {} } = check.file.source;
  for (const { step, scope } of stepsOf(check)) {
    if (step.provider === undefined || step.command_override !== undefined) continue;
    const provider = Object.hasOwn(declared, step.provider) ? declared[step.provider] : undefined;
    if (provider?.command === undefined) continue;
    const items = loopItems(scope);
    const known = new Set([
      PROMPT,
      ...Object.keys(defaults.provider_params ?? {}),
      ...Object.keys(provider.defaults ?? {}),
      ...Object.keys(step.provider_params ?? {}),
      ...items,
      ...(items.length > 0 ? ['item'] : []),
    ]);
    const missing = provider.command
      .flatMap((text) => placesOf(check, text))
      .filter((reference) => reference.path.length === 1 && !known.has(reference.text));
    for (const name of new Set(missing.map((reference) => reference.text))) {
      check.report.warning('workflow/missing-placeholder', check.file.places.valueRange(step, 'provider'), {
        message: `${called(step)} will fail: \`${step.provider}\` needs a value for \`\${${name}}\``,
        help: `add \`${name}\` to the step's \`provider_params\`, or to the provider's \`defaults\``,
      });
    }
  }
}

function placesOf(check: Check, text: string): readonly Reference[] {
  return text.includes('$') ? referencesOf(check.parse(text).template) : [];
}
