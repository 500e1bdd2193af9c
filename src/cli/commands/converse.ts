import { type Command, Option } from 'commander';
import { TEMPLATES } from '../../operations/conversations/templates.ts';
import type { CliContext } from '../context.ts';
import { archiveConversations, restoreConversation } from '../converse/archive.ts';
import { type CleanFlags, cleanConversations } from '../converse/clean.ts';
import { type HistoryFlags, printHistory } from '../converse/history.ts';
import { initWorkspace } from '../converse/init.ts';
import { printConversations } from '../converse/list.ts';
import type { OldFlags } from '../converse/old.ts';
import { type ResumeFlags, resumeConversation } from '../converse/resume.ts';
import { type StartFlags, startConversation } from '../converse/start.ts';
import { addOutputOptions, addTrustOption, atLeastOne } from '../run-options.ts';
import { subcommandsOf } from '../subcommands.ts';
import { age } from './clean.ts';

const FOLDER = 'the workspace: the folder with config/workflow.yaml';

export function define(command: Command, context: CliContext): void {
  const add = subcommandsOf(command);

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate converse init talk --template mock\n  orchestrate converse run talk\n  orchestrate converse history talk',
  );
  const templates = Object.entries(TEMPLATES).map(([name, { summary }]) => `${name} (${summary})`);
  add('init <dir>', 'make a workspace for conversations', 'orchestrate converse init talk --template mock')
    .addOption(
      new Option('--template <name>', templates.join(', ')).choices(Object.keys(TEMPLATES)).default('basic'),
    )
    .action(async (dir: string, flags: { readonly template: string }) => {
      context.exitCode = await initWorkspace(context, dir, flags.template);
    });
  addOutputOptions(
    addTrustOption(
      add(
        'run',
        'start a conversation',
        'orchestrate converse run talk --task "Analyze data.csv" --max-iterations 5',
      )
        .argument('<dir>', FOLDER)
        .option('--task <text>', 'in place of the task of the workflow')
        .option('--max-iterations <n>', 'in place of max_iterations of the workflow', atLeastOne)
        .option('--agent <name>', 'in place of the agent of the workflow: claude, gemini, codex or mock')
        .option('--session <id>', 'name the conversation')
        .option(
          '--dry-run',
          'the mock agent answers, and tools that change anything only say what they would do',
        ),
    ),
  ).action(async (dir: string, flags: StartFlags) => {
    context.exitCode = await startConversation(context, dir, flags);
  });
  addOutputOptions(
    addTrustOption(
      add('resume', 'go on with a conversation', 'orchestrate converse resume talk')
        .argument('<dir>', FOLDER)
        .option('--session <id>', 'which one; otherwise the only one that is not completed')
        .option('--max-iterations <n>', 'a new limit, for one that ran out of iterations', atLeastOne),
    ),
  ).action(async (dir: string, flags: ResumeFlags) => {
    context.exitCode = await resumeConversation(context, dir, flags);
  });
  add('history', 'print the messages of a conversation', 'orchestrate converse history talk --format jsonl')
    .argument('<dir>', FOLDER)
    .option('--session <id>', 'which one; otherwise the newest')
    .addOption(new Option('--format <format>', 'how').choices(['md', 'jsonl']).default('md'))
    .action((dir: string, flags: HistoryFlags) => {
      context.exitCode = printHistory(context, dir, flags);
    });
  add('list', 'list the conversations of a workspace', 'orchestrate converse list talk')
    .argument('<dir>', FOLDER)
    .option('--json', 'print them as JSON')
    .action((dir: string, flags: { readonly json?: boolean }) => {
      context.exitCode = printConversations(context, dir, flags);
    });
  add('archive', 'put ended conversations away', 'orchestrate converse archive talk --older-than 30d')
    .argument('<dir>', FOLDER)
    .option('--session <id>', 'only this one, ended or not')
    .option('--older-than <age>', 'only those that ended longer ago than this: 90m, 12h, 30d, 4w', age)
    .option('--keep', 'leave the conversations where they are')
    .action(async (dir: string, flags: OldFlags & { readonly keep?: boolean }) => {
      context.exitCode = await archiveConversations(context, dir, flags);
    });
  add('restore', 'bring a conversation back', 'orchestrate converse restore talk/archive/review.tar.gz')
    .argument('<archive>', 'a file that `archive` made')
    .option('--to <dir>', 'the workspace; otherwise the one whose archive folder it lies in')
    .action(async (archive: string, flags: { readonly to?: string }) => {
      context.exitCode = await restoreConversation(context, archive, flags);
    });
  add('clean', 'remove ended conversations', 'orchestrate converse clean talk --older-than 30d --dry-run')
    .argument('<dir>', FOLDER)
    .option('--session <id>', 'only this one, ended or not')
    .option('--older-than <age>', 'only those that ended longer ago than this: 90m, 12h, 30d, 4w', age)
    .option('--dry-run', 'only say what would be removed')
    .option('-f, --force', 'do not ask')
    .action(async (dir: string, flags: CleanFlags) => {
      context.exitCode = await cleanConversations(context, dir, flags);
    });
}
