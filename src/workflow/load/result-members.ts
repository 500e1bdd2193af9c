/** Checks what `${steps.<name>.results.…}` and `.values.…` read. */
import { nearest } from '../../model/suggest.ts';
import { list } from '../../store/yaml/shape/describe-shape.ts';
import type { StepSource } from '../schema/step.ts';
import { type Reading, written } from './reading.ts';
import type { Check } from './rules/rule.ts';

const FIELDS = ['status', 'output', 'lines', 'json'];

/** The parts of a step by name; undefined for a loop, whose parts are numbered. */
function partNames({ parallel, graph }: StepSource): readonly string[] | undefined {
  if (graph !== undefined) return graph.steps.map(({ name }) => name);
  return parallel?.branches?.map(({ name }) => name) ?? parallel?.steps?.map(({ name }) => name);
}

export function checkResults(check: Check, step: StepSource, reading: Reading): void {
  const [part, field] = reading.path.rest;
  if (part === undefined) return;
  const names = partNames(step);
  if (names === undefined ? !/^\d+$/.test(part) : !names.includes(part)) {
    const meant = nearest(part, names ?? []);
    unknown(
      check,
      reading,
      names === undefined
        ? { problem: 'the results of a loop are numbered', help: 'the first one is `results.0`' }
        : {
            problem: `\`${reading.path.name}\` has no \`${part}\``,
            help:
              meant === undefined
                ? `it has ${list(names)}`
                : `did you mean \`${written(reading, { rest: [meant, ...reading.path.rest.slice(1)] })}\`?`,
          },
    );
    return;
  }
  const fields = names === undefined ? ['item', ...FIELDS] : FIELDS;
  if (field === undefined || fields.includes(field)) return;
  unknown(check, reading, { problem: `a result has no \`${field}\``, help: `it has ${list(fields)}` });
}

function unknown(
  check: Check,
  reading: Reading,
  { problem, help }: { readonly problem: string; readonly help: string },
): void {
  check.report.error('template/unknown-variable', reading.range(), {
    message: `${reading.reader} reads \`${written(reading)}\`, but ${problem}`,
    help,
  });
}

/** A step declares its values. */
export function checkValue(check: Check, step: StepSource, reading: Reading): void {
  const [value] = reading.path.rest;
  const names = Object.keys(step.values ?? {});
  if (value !== undefined && names.includes(value)) return;
  const meant = value === undefined ? undefined : nearest(value, names);
  check.report.error('template/not-captured', reading.range(), {
    message: `${reading.reader} reads \`${written(reading)}\`, but ${
      value === undefined
        ? 'a value is read as `values.<name>`'
        : `\`${reading.path.name}\` has no value \`${value}\``
    }`,
    help:
      meant !== undefined
        ? `did you mean \`${written(reading, { rest: [meant, ...reading.path.rest.slice(1)] })}\`?`
        : names.length > 0
          ? `its values are ${list(names)}`
          : `declare it under \`values\` of \`${reading.path.name}\``,
  });
}
