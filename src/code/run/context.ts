/** The context of one scope: every call by its name. */
import { randomUUID } from 'node:crypto';
import { defined } from '../../model/defined.ts';
import { askPerson } from '../../steps/ask-person.ts';
import { reachedBudget } from '../../steps/budget.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import type { ApprovalQuestion } from '../written/calls.ts';
import type { Context } from '../written/context.ts';
import { callAgent } from './agents.ts';
import { allOf, callBranches, eachOf } from './branches.ts';
import { callCommand } from './commands.ts';
import { milliseconds } from './durations.ts';
import { stepFailed } from './failed-calls.ts';
import { changeDocument, readText, remembered, sleep, waitForFiles, writeText } from './files.ts';
import { callFunction } from './functions.ts';
import { CHOICES, COUNT, checkOptions, checkValue, QUESTION, TEXT } from './given-options.ts';
import type { Scope } from './scope.ts';
import { callWorkflow } from './workflows.ts';

export function createContext(scope: Scope): Context {
  const { execution } = scope;
  const { runId: id, workspace, startedAt } = execution.input;
  const context: Context = {
    command: (name, argv, options) => callCommand(scope, name, { argv, options }) as never,
    agent: (name, options) => callAgent(scope, name, options),
    do: (name: string, ...given: unknown[]) => callFunction(scope, name, given as never) as never,
    each: (name, items, body, options = {}) =>
      callBranches(scope, { name, shape: (values) => values as never }, () =>
        eachOf(scope, { name, items, body, options, contextOf: createContext }),
      ),
    all: (name, branches, options = {}) => {
      const names = Object.keys(Object(branches));
      const shape = (values: readonly unknown[]) =>
        Object.fromEntries(names.map((each, index) => [each, values[index]])) as never;
      return callBranches(scope, { name, shape }, () =>
        allOf(scope, { name, branches, options, contextOf: createContext }),
      );
    },
    approve: (name, question) => approve(scope, name, question) as never,
    files: (name, glob, options) => waitForFiles(scope, name, { glob, options }),
    sleep: (name, duration) => sleep(scope, name, duration),
    now: (name) => scope.call(name, ({ block, key }) => block.durable.now(key)),
    uuid: (name) => remembered(scope, { name, read: String }, randomUUID()),
    document: (name, path, changes) => changeDocument(scope, name, { path, changes }),
    read: (name, path) => readText(scope, name, path),
    write: (name, path, text) => writeText(scope, name, { path, text }),
    call: (name: string, called: unknown, input?: unknown) =>
      callWorkflow(scope, name, { called, input, contextOf: createContext }) as never,
    version: (name, newest) =>
      remembered(
        scope,
        { name, read: Number, check: () => checkValue(scope, `the number of \`${name}\``, newest, COUNT) },
        newest,
      ),
    log: (message) => scope.log(message),
    run: { id, workspace, startedAt, signal: execution.signal },
  };
  return Object.freeze(context);
}

function approve(scope: Scope, name: string, question: ApprovalQuestion<string>): Promise<string> {
  return scope.call(name, async (call) => {
    checkOptions(scope, name, question ?? {}, QUESTION);
    checkValue(scope, `the message of \`${name}\``, question?.message, TEXT);
    checkValue(scope, `the choices of \`${name}\``, question?.choices, CHOICES);
    const { message, choices, within, default: usual } = question;
    if (usual !== undefined && !choices.includes(usual))
      throw scope.mistake(`the default of \`${name}\`, \`${usual}\`, is not one of its choices`);
    const reached = await reachedBudget(call);
    const { record, retryKeys } =
      reached === undefined
        ? await askPerson(
            call,
            {
              ...{ message, choices },
              ...(within === undefined ? {} : { timeoutMs: milliseconds(within) }),
              ...defined({ default: usual }),
            },
            scope.compared,
          )
        : await failedAtOnce(call, reached);
    if (record.failure !== undefined) throw stepFailed(scope, call, { failure: record.failure, retryKeys });
    return record.output ?? '';
  });
}
