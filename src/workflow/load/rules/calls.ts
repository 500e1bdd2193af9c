import fs from 'node:fs';
import { join } from 'node:path';
import { isModuleFile } from '../../../store/module-file.ts';
import { isUnusablePath, plainPath } from '../plain-path.ts';
import { suggestFile } from '../suggest-file.ts';
import { type Check, called, stepsOf } from './rule.ts';

/** A call names a workflow file with its `context`, or a program in code with its `input`. */
export function checkCalls(check: Check): void {
  const { places } = check.file;
  for (const { step } of stepsOf(check)) {
    const { call } = step;
    if (call === undefined) continue;
    const { workflow, program } = call;
    if (workflow !== undefined && program !== undefined) {
      check.report.error('workflow/conflicting-keys', places.keyRange(call, 'program'), {
        message: `${called(step)} calls both a \`workflow\` and a \`program\``,
        related: [{ message: '`workflow` is here', range: places.keyRange(call, 'workflow') }],
        help: 'split it into two steps',
      });
    } else if (workflow === undefined && program === undefined) {
      if (!places.isWhole(call)) continue;
      check.report.error('workflow/missing-key', places.keyRange(step, 'call'), {
        message: `${called(step)} does not say what it calls`,
        help: 'add `workflow: <file>.yaml`, or `program: <file>.workflow.ts`',
      });
    } else {
      checkGiven(check, call, program === undefined ? 'workflow' : 'program');
      if (program !== undefined) checkProgram(check, call, program);
      else if (workflow !== undefined && isModuleFile(workflow)) {
        check.report.error('workflow/invalid-value', places.valueRange(call, 'workflow'), {
          message: `\`${workflow}\` is a workflow in code`,
          help: `write \`program: ${workflow}\`, with \`input\` instead of \`context\``,
        });
      }
    }
  }
}

/** `context` belongs to a workflow file, `input` to a program. */
function checkGiven(check: Check, call: object, kind: 'workflow' | 'program'): void {
  const [own, other] = kind === 'workflow' ? ['context', 'input'] : ['input', 'context'];
  if (Reflect.get(call, other as string) === undefined) return;
  check.report.error('workflow/conflicting-keys', check.file.places.keyRange(call, other as string), {
    message: `unknown key \`${other}\` for a \`${kind}\``,
    help: `did you mean \`${own}\`?`,
  });
}

function checkProgram(check: Check, call: object, program: string): void {
  if (isUnusablePath(program)) return;
  const range = check.file.places.valueRange(call, 'program');
  if (!isModuleFile(program)) {
    check.report.error('workflow/invalid-value', range, {
      message: `\`${program}\` is not a file in TypeScript or JavaScript`,
      help: /\.ya?ml$/.test(program)
        ? `write \`workflow: ${program}\`, with \`context\` instead of \`input\``
        : 'a program ends in `.ts`, `.mts`, `.js` or `.mjs`',
    });
    return;
  }
  const path = plainPath(program);
  const stat = fs.statSync(join(check.workspace, path), { throwIfNoEntry: false });
  if (stat?.isFile() === true) return;
  check.report.error('workflow/call-not-found', range, {
    message: `cannot read \`${program}\`: ${stat === undefined ? 'it does not exist' : 'it is not a file'}`,
    help:
      suggestFile(check.workspace, path, /\.workflow\.m?[jt]s$/) ??
      'the path of a program is relative to the workspace',
  });
}
