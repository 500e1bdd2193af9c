import type { JsonObject } from '../../model/json.ts';
import { ok } from '../../model/result.ts';
import { LISTED_STATUSES } from '../../operations/runs/list-runs.ts';
import { callCommand, callForJson, sentence } from './call-command.ts';
import { objectOf, type Tool, text, textIn } from './tool.ts';

const run = text('its id, the beginning of it, or `last`');

export const RUN_TOOLS: readonly Tool[] = [
  {
    name: 'runs_list',
    description: 'The runs of this workspace, the newest first, with status and cost.',
    input: objectOf({
      kind: text('only of this kind: workflow, iterate, session, converse, phases'),
      status: { type: 'string', enum: LISTED_STATUSES } satisfies JsonObject,
      limit: { type: 'integer', minimum: 1, maximum: 1000, description: '50 where absent' },
    }),
    readOnly: true,
    async run(context, given) {
      const listed = await callForJson(context, {
        name: 'runs',
        options: {
          kind: textIn(given, 'kind'),
          status: textIn(given, 'status'),
          limit: given['limit'] === undefined ? undefined : String(given['limit']),
        },
      });
      return listed.type === 'ok' ? ok({ runs: listed.value }) : listed;
    },
  },
  {
    name: 'run_get',
    description: 'What a run did and where it stands: its steps, its cost, what it waits for.',
    input: objectOf({ run }, ['run']),
    readOnly: true,
    run: (context, given) => callForJson(context, { name: 'show', words: [textIn(given, 'run') ?? ''] }),
  },
  {
    name: 'run_approve',
    description: 'Answer a question that a run waits for.',
    input: objectOf(
      {
        run,
        step: text('the step that asks'),
        choice: text('one of the choices it gives'),
        comment: text('kept with the answer'),
        by: text('who answers'),
      },
      ['run', 'step', 'choice'],
    ),
    async run(context, given) {
      const approved = await callCommand(context, {
        name: 'approve',
        options: {
          choose: textIn(given, 'choice'),
          comment: textIn(given, 'comment'),
          by: textIn(given, 'by'),
        },
        words: [textIn(given, 'run') ?? '', textIn(given, 'step') ?? ''],
      });
      return approved.type === 'error' ? approved : ok({ said: sentence(approved.value.err) });
    },
  },
];
