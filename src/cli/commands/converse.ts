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
import { path } from '../path-argument.ts';
import { addEngineOption, addOutputOptions, addTrustOption, atLeastOne } from '../run-options.ts';
import { withEngine } from '../running/uses-workers.ts';
import { age } from '../since.ts';
import { subcommandsOf } from '../subcommands.ts';

const FOLDER = 'workspace: the folder that contains config/workflow.yaml';

export function define(command: Command, context: CliContext): void {
  const add = subcommandsOf(command);

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate converse init talk --template mock\n  orchestrate converse run talk\n  orchestrate converse history talk',
  );
  const templates = Object.entries(TEMPLATES).map(([name, { summary }]) => `${name} (${summary})`);
  add('init', 'create a workspace for conversations', 'orchestrate converse init talk --template mock')
    .argument('<dir>', 'folder to create', path)
    .addOption(
      new Option('--template <name>', templates.join(', ')).choices(Object.keys(TEMPLATES)).default('basic'),
    )
    .action(async (dir: string, flags: { readonly template: string }) => {
      context.exitCode = await initWorkspace(context, dir, flags.template);
    });
  addEngineOption(
    addOutputOptions(
      addTrustOption(
        add(
          'run',
          'start a conversation',
          'orchestrate converse run talk --task "Analyze data.csv" --max-iterations 5',
        )
          .argument('<dir>', FOLDER, path)
          .option('--task <text>', 'task to use instead of the one in the workflow')
          .option('--max-iterations <n>', 'override max_iterations of the workflow', atLeastOne)
          .option(
            '--agent <name>',
            'override the agent of the workflow: claude, gemini, codex, opencode, copilot, qwen or mock',
          )
          .option('--session <id>', 'id of the new conversation')
          .option(
            '--dry-run',
            'use the mock agent; tools that change something only report what they would do',
          ),
      ),
    ),
  ).action(async (dir: string, flags: StartFlags) => {
    context.exitCode = await startConversation(context, dir, await withEngine(context, flags));
  });
  addOutputOptions(
    addTrustOption(
      add('resume', 'resume a conversation', 'orchestrate converse resume talk')
        .argument('<dir>', FOLDER, path)
        .option('--session <id>', 'conversation to resume (default: the only one that is not completed)')
        .option('--max-iterations <n>', 'new limit, for a conversation that reached its limit', atLeastOne),
    ),
  ).action(async (dir: string, flags: ResumeFlags) => {
    context.exitCode = await resumeConversation(context, dir, flags);
  });
  add('history', 'print the messages of a conversation', 'orchestrate converse history talk --format jsonl')
    .argument('<dir>', FOLDER, path)
    .option('--session <id>', 'conversation to print (default: the newest)')
    .addOption(new Option('--format <format>', 'output format').choices(['md', 'jsonl']).default('md'))
    .action((dir: string, flags: HistoryFlags) => {
      context.exitCode = printHistory(context, dir, flags);
    });
  add('list', 'list the conversations of a workspace', 'orchestrate converse list talk')
    .argument('<dir>', FOLDER, path)
    .option('--json', 'print as JSON')
    .action((dir: string, flags: { readonly json?: boolean }) => {
      context.exitCode = printConversations(context, dir, flags);
    });
  add(
    'archive',
    'move ended conversations into archive files',
    'orchestrate converse archive talk --older-than 30d',
  )
    .argument('<dir>', FOLDER, path)
    .option('--session <id>', 'only this conversation, even if it has not ended')
    .option(
      '--older-than <age>',
      'only conversations that ended longer ago than this: 90m, 12h, 30d, 4w',
      age,
    )
    .option('--keep', 'keep the archived conversations in the workspace too')
    .action(async (dir: string, flags: OldFlags & { readonly keep?: boolean }) => {
      context.exitCode = await archiveConversations(context, dir, flags);
    });
  add(
    'restore',
    'restore a conversation from an archive',
    'orchestrate converse restore talk/archive/review.tar.gz',
  )
    .argument('<archive>', 'file created by `archive`', path)
    .option(
      '--to <dir>',
      'workspace to restore to (default: the one whose archive folder contains the file)',
      path,
    )
    .action(async (archive: string, flags: { readonly to?: string }) => {
      context.exitCode = await restoreConversation(context, archive, flags);
    });
  add('clean', 'remove ended conversations', 'orchestrate converse clean talk --older-than 30d --dry-run')
    .argument('<dir>', FOLDER, path)
    .option('--session <id>', 'only this conversation, even if it has not ended')
    .option(
      '--older-than <age>',
      'only conversations that ended longer ago than this: 90m, 12h, 30d, 4w',
      age,
    )
    .option('--dry-run', 'show what would be removed and change nothing')
    .option('-f, --force', 'do not ask for confirmation')
    .action(async (dir: string, flags: CleanFlags) => {
      context.exitCode = await cleanConversations(context, dir, flags);
    });
}
