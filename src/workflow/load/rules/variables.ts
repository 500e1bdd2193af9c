import { referencesOf } from '../../../template/template.ts';
import type { StepPlace, StepScope } from '../step-index.ts';
import { textsIn } from '../texts.ts';
import { checkReference, reportProblem, type Site } from './references.ts';
import { type Check, called } from './rule.ts';

export function checkVariables(check: Check): void {
  const { source, index } = check.file;
  for (const { place, texts, commands } of check.texts) {
    const reader = called(place.step);
    const isConditional = hasCondition(place);
    for (const text of texts)
      if (text.text.includes('$')) checkText(check, { ...text, reader, isConditional });
    for (const { argv, scope, placeOf } of commands) {
      for (const [index, text] of argv.entries()) {
        if (text.includes('$'))
          checkReferences(check, { ...placeOf(index), text, scope, reader, isConditional });
      }
    }
  }
  for (const [name, text] of Object.entries(source.outputs ?? {})) {
    checkText(check, {
      container: source.outputs ?? {},
      key: name,
      text,
      scope: index.outermost,
      reader: `the output \`${name}\``,
    });
  }
  for (const text of textsIn(source.defaults?.provider_params, index.outermost)) {
    checkText(check, { ...text, reader: '`defaults`', provider: 'defaults' });
  }
  for (const [name, provider] of Object.entries(source.providers ?? {})) {
    const reader = `the provider \`${name}\``;
    const scope = index.outermost;
    for (const [key, text] of (provider.command ?? []).entries()) {
      if (!text.includes('$')) continue;
      checkReferences(check, {
        container: provider.command ?? [],
        key,
        text,
        scope,
        reader,
        provider: 'command',
      });
    }
    for (const text of textsIn(provider.defaults, scope)) {
      checkText(check, { ...text, reader, provider: 'defaults' });
    }
  }
}

/** Whether the step or one around it has a `when`. */
function hasCondition({ step, scope }: StepPlace): boolean {
  if (step.when !== undefined) return true;
  for (let at: StepScope | undefined = scope; at !== undefined; at = at.parent)
    if (at.owner?.when !== undefined) return true;
  return false;
}

function checkText(check: Check, site: Site): void {
  if (!site.text.includes('$')) return;
  for (const problem of check.parse(site.text).problems) reportProblem(check, site, problem);
  checkReferences(check, site);
}

/** Malformed variables in a command are reported by the rule that checks whole commands. */
function checkReferences(check: Check, site: Site): void {
  for (const reference of referencesOf(check.parse(site.text).template)) {
    checkReference(check, site, reference);
  }
}
