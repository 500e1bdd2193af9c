/** Problems with conversations. */

import { advice, command } from '../../model/advice.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { form, meant, quoted, said } from '../../model/problem-form.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { DocumentProblem } from '../../store/document.ts';
import type { Held } from '../../store/lock.ts';

interface Conversation {
  readonly conversation: string;
}

/** As the user names it. */
interface Place {
  readonly folder: string;
}

export const conversationProblems = () => ({
  'conversation-held': form('held', ({ conversation, held }: Conversation & { readonly held: Held }) =>
    said(`conversation \`${conversation}\` is being run by ${holderText(held)}`, holderHelp(held)),
  ),
  'conversations-being-changed': form('conflict', ({ folder, held }: Place & { readonly held: Held }) =>
    said(`\`${folder}\` is being changed by ${holderText(held)}`, holderHelp(held)),
  ),
  'conversation-exists': form('conflict', ({ conversation, folder }: Conversation & Place) =>
    said(
      `conversation \`${conversation}\` already exists`,
      advice`resume it with ${command(`converse resume ${folder} --session ${conversation}`)}`,
    ),
  ),
  'files-of-another-conversation': form('conflict', ({ folder }: Place) =>
    said(
      `\`${folder}\` contains files of another conversation; nothing was overwritten`,
      'move them away or choose another `--session`',
    ),
  ),
  'conversation-not-claimed': form('conflict', ({ problem }: { readonly problem: DocumentProblem }) =>
    said(problem.type === 'held' ? 'its document is locked' : problem.message),
  ),
  'unreadable-conversation': form('failed', ({ problem }: { readonly problem: DocumentProblem }) =>
    said(problem.type === 'held' ? 'the document of the conversation is locked' : problem.message),
  ),
  'conversation-resumed': form('conflict', ({ conversation }: Conversation) =>
    said(`conversation \`${conversation}\` was resumed by another process`),
  ),

  'no-conversation-folder': form('not-found', ({ folder }: Place) =>
    said(
      `folder \`${folder}\` not found`,
      advice`create a workspace there with ${command(`converse init ${folder}`)}`,
    ),
  ),
  'no-such-conversation': form(
    'not-found',
    ({ conversation, folder, near }: Conversation & Place & { readonly near?: string | undefined }) =>
      said(
        `conversation \`${conversation}\` not found in \`${folder}\``,
        meant(near, advice`list them with ${command(`converse list ${folder}`)}`),
      ),
  ),
  'no-conversations': form('not-found', ({ folder }: Place) =>
    said(
      `\`${folder}\` has no conversations yet`,
      advice`start one with ${command(`converse run ${folder}`)}`,
    ),
  ),
  'several-conversations': form('invalid', ({ found }: { readonly found: readonly string[] }) =>
    said(
      `${found.length} conversations can be resumed`,
      `choose one: ${found.map((id) => `\`--session ${id}\``).join(', ')}`,
    ),
  ),
  'run-of-conversation-gone': form('failed', ({ conversation, folder }: Conversation & Place) =>
    said(
      `cannot resume conversation \`${conversation}\`: its run no longer exists`,
      advice`show its messages with ${command(`converse history ${folder} --session ${conversation}`)}`,
    ),
  ),
  'unreadable-run-of-conversation': form(
    'failed',
    ({ runId, reason }: { readonly runId: string; readonly reason: string }) =>
      said(
        `the journal of run \`${runId}\` cannot be read: ${reason}`,
        advice`${{ operation: 'check-run', run: runId }} shows what can be recovered`,
      ),
  ),
  'conversation-moved': form(
    'not-found',
    ({ conversation, runId, folder }: Conversation & Place & { readonly runId: string }) =>
      said(
        `conversation \`${conversation}\` of run \`${runId}\` is no longer in \`${folder}\``,
        advice`resume it where it is now: ${command(`converse resume <dir> --session ${conversation}`)}`,
      ),
  ),

  'no-conversation-task': form('invalid', () =>
    said('no task given', 'use `--task`, or set `task:` in `config/workflow.yaml`'),
  ),
  'invalid-conversation-id': form('invalid', ({ conversation }: Conversation) =>
    said(`\`${conversation}\` is not a valid conversation id`, 'use letters, digits, `_` and `-`'),
  ),
  'unknown-workspace-template': form(
    'invalid',
    ({ template, templates }: { readonly template: string; readonly templates: readonly string[] }) =>
      said(`unknown template \`${template}\``, `available templates: ${templates.join(', ')}`),
  ),
  'workspace-files-exist': form('conflict', ({ files }: { readonly files: readonly string[] }) =>
    said(
      `${quoted(files)} already ${files.length === 1 ? 'exists' : 'exist'}; nothing was overwritten`,
      'choose another folder',
    ),
  ),

  'conversation-not-archived': form(
    'failed',
    ({ conversation, reason }: Conversation & { readonly reason: string }) =>
      said(`cannot archive \`${conversation}\`: ${reason}`),
  ),
  'conversation-archive-not-found': form('not-found', ({ archive }: { readonly archive: string }) =>
    said(`archive \`${archive}\` not found`),
  ),
  'conversation-not-restored': form(
    'failed',
    ({ archive, reason }: { readonly archive: string; readonly reason: string }) =>
      said(`cannot restore \`${archive}\`: ${reason}`),
  ),
  'conversation-not-removed': form(
    'failed',
    ({ conversation, code }: Conversation & { readonly code: string }) =>
      said(`cannot remove \`${conversation}\`: ${errnoWords(code)}`),
  ),
});
