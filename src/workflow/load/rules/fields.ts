import { readField } from '../../../model/field.ts';
import type { JsonValue } from '../../../model/json.ts';
import type { FieldSource } from '../../schema/field.ts';
import { defineField, fieldType } from '../define/define-field.ts';
import type { Check } from './rule.ts';

/** Checks that the inputs of a workflow fit together: type, choices, default and the value under `context`. */
export function checkFields(check: Check): void {
  const { inputs = {}, context = {} } = check.file.source;
  for (const [name, field] of Object.entries(inputs)) {
    checkField(check, field, { called: `the input \`${name}\``, owner: inputs, key: name });
    if (!Object.hasOwn(context, name)) continue;
    if (field.default !== undefined) {
      check.report.error('workflow/conflicting-keys', check.file.places.keyRange(field, 'default'), {
        message: `the input \`${name}\` has a default here and a value under \`context\`, but only one is allowed`,
        related: [{ message: 'the other value is here', range: check.file.places.keyRange(context, name) }],
      });
      continue;
    }
    checkValue(check, field, {
      called: `the value of the input \`${name}\``,
      value: context[name] ?? null,
      container: context,
      key: name,
    });
  }
}

interface Named {
  /** `the input \`x\``. */
  readonly called: string;
  readonly owner: object;
  readonly key: string | number;
}

export function checkField(check: Check, field: FieldSource, { called, owner, key }: Named): void {
  const { places } = check.file;
  const type = fieldType(field);
  if (type === 'choice' && field.choices === undefined && places.isWhole(field)) {
    check.report.error('workflow/missing-key', places.keyRange(owner, key), {
      message: `${called} is a \`choice\` and needs the key \`choices\``,
    });
    return;
  }
  if (type !== 'choice' && field.choices !== undefined) {
    check.report.error('workflow/conflicting-keys', places.keyRange(field, 'choices'), {
      message: `${called} is of type \`${type}\`, but only a \`choice\` has \`choices\``,
    });
  }
  if (field.default === undefined) return;
  if (field.required === true) {
    check.report.warning('workflow/no-effect', places.keyRange(field, 'required'), {
      message: `\`required\` has no effect on ${called}, which has a default`,
    });
  }
  checkValue(check, field, {
    called: `the default of ${called}`,
    value: field.default,
    container: field,
    key: 'default',
  });
}

interface Value {
  readonly called: string;
  readonly value: JsonValue;
  readonly container: object;
  readonly key: string;
}

/** Whether a file exists is checked when the run starts. */
function checkValue(check: Check, source: FieldSource, { called, value, container, key }: Value): void {
  const field = defineField('', { ...source, default: undefined });
  const read = readField(field, value, () => undefined);
  if (read.type === 'ok') return;
  check.report.error('workflow/invalid-default', check.file.places.valueRange(container, key), {
    message: `${called} ${read.error.reason}`,
    help: read.error.meant === undefined ? undefined : `did you mean \`${read.error.meant}\`?`,
  });
}
