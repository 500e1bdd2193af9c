import { readField } from '../../../model/field.ts';
import type { JsonValue } from '../../../model/json.ts';
import { list } from '../../../store/yaml/shape/describe-shape.ts';
import type { FieldSource } from '../../schema/field.ts';
import { defineField, fieldType } from '../define/define-field.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** Names in the `json` of every approval. */
const RESERVED = ['choice', 'comment', 'by', 'expired'];

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

/** The fields of questions. */
export function checkQuestions(check: Check): void {
  const { places } = check.file;
  for (const { step } of stepsOf(check)) {
    const fields = step.approve?.fields ?? [];
    const first = new Map<string, object>();
    for (const [index, field] of fields.entries()) {
      const named = `the field \`${field.name}\` of ${called(step)}`;
      const earlier = first.get(field.name);
      if (earlier !== undefined && field.name !== '')
        check.report.error('workflow/conflicting-keys', places.valueRange(field, 'name'), {
          message: `duplicate field \`${field.name}\` in ${called(step)}`,
          related: [{ message: 'first used here', range: places.valueRange(earlier, 'name') }],
        });
      first.set(field.name, earlier ?? field);
      if (RESERVED.includes(field.name))
        check.report.error('workflow/reserved-name', places.valueRange(field, 'name'), {
          message: `a field of ${called(step)} cannot be named \`${field.name}\``,
          help: `choose another name; every answer already has ${list(RESERVED)}`,
        });
      checkField(check, field, { called: named, owner: fields, key: index });
    }
  }
}

interface Named {
  /** `the input \`x\``. */
  readonly called: string;
  readonly owner: object;
  readonly key: string | number;
}

export function checkField(check: Check, field: FieldSource, { called: named, owner, key }: Named): void {
  const { places } = check.file;
  const type = fieldType(field);
  if (type === 'choice' && field.choices === undefined && places.isWhole(field)) {
    check.report.error('workflow/missing-key', places.keyRange(owner, key), {
      message: `${named} is a \`choice\` and needs the key \`choices\``,
    });
    return;
  }
  if (type !== 'choice' && field.choices !== undefined) {
    check.report.error('workflow/conflicting-keys', places.keyRange(field, 'choices'), {
      message: `${named} is of type \`${type}\`, but only a \`choice\` has \`choices\``,
    });
  }
  if (field.default === undefined) return;
  if (field.required === true) {
    check.report.warning('workflow/no-effect', places.keyRange(field, 'required'), {
      message: `\`required\` has no effect on ${named}, which has a default`,
    });
  }
  checkValue(check, field, {
    called: `the default of ${named}`,
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
function checkValue(
  check: Check,
  source: FieldSource,
  { called: named, value, container, key }: Value,
): void {
  const field = defineField('', { ...source, default: undefined });
  const read = readField(field, value, () => undefined);
  if (read.type === 'ok') return;
  check.report.error('workflow/invalid-default', check.file.places.valueRange(container, key), {
    message: `${named} ${read.error.reason}`,
    help: read.error.meant === undefined ? undefined : `did you mean \`${read.error.meant}\`?`,
  });
}
