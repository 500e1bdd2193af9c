/** Checks what a file says about sandboxes: a limit that does not apply must not look as if it did. */
import { parseHostPattern } from '../../../model/host-pattern.ts';
import type { SandboxSource } from '../../schema/sandbox.ts';
import { type Check, called, stepsOf } from './rule.ts';

export function checkSandboxes(check: Check): void {
  const { providers = {}, defaults = {} } = check.file.source;
  checkOne(check, defaults, { of: '`defaults`', others: [] });
  for (const [name, provider] of Object.entries(providers))
    checkOne(check, provider, { of: `the provider \`${name}\``, others: [defaults] });
  for (const { step } of stepsOf(check)) {
    const declared = step.provider !== undefined && Object.hasOwn(providers, step.provider);
    const provider = declared && step.provider !== undefined ? providers[step.provider] : undefined;
    checkOne(check, step, {
      of: called(step),
      others: [defaults, ...(provider === undefined ? [] : [provider])],
    });
  }
}

function checkOne(
  check: Check,
  source: SandboxSource,
  { of, others }: { readonly of: string; readonly others: readonly SandboxSource[] },
): void {
  const all = [...others, source];
  const level = all.findLast(({ sandbox }) => sandbox !== undefined)?.sandbox;
  const network = all.findLast((each) => each.network !== undefined)?.network;
  const { places } = check.file;
  for (const key of ['network', 'allow_hosts'] as const) {
    // Those of `defaults` are in the steps already.
    const isWritten = source[key] !== undefined && places.has(source, key);
    if (!isWritten || (level !== undefined && level !== 'off')) continue;
    check.report.error('workflow/missing-key', places.keyRange(source, key), {
      message: `\`${key}\` of ${of} limits nothing without \`sandbox\``,
      help: 'add `sandbox: workspace-write` or `sandbox: read-only`',
    });
  }
  if (source.allow_hosts !== undefined && network !== undefined && network !== 'model') {
    check.report.warning('workflow/no-effect', places.keyRange(source, 'allow_hosts'), {
      message: `\`allow_hosts\` of ${of} has no effect with \`network: ${network}\``,
      help: 'it extends `network: model`',
    });
  }
  for (const [index, host] of (source.allow_hosts ?? []).entries()) {
    if (parseHostPattern(host) !== undefined) continue;
    check.report.error('workflow/invalid-value', places.valueRange(source.allow_hosts ?? [], index), {
      message: `\`${host}\` is not an address`,
      help: 'write `host`, `host:port` or `*.host`, such as `packages.example.org`',
    });
  }
}
