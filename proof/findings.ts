/** The bugs that the proof has found in the program. Each is fixed and covered by the named test, or by the points of the suite. */
export interface FoundBug {
  readonly suite: string;
  /** What went wrong, as a user would see it. */
  readonly found: string;
  /** Omitted if only the suite itself can show it. */
  readonly test?: { readonly file: string; readonly title: string };
}

export const FINDINGS: readonly FoundBug[] = [
  {
    suite: 'kill-everywhere',
    found: 'Temporary files, locks and half-made folders of a killed process were never removed.',
  },
  {
    suite: 'kill-everywhere',
    found: 'A conversation whose removal was interrupted was archived twice.',
    test: {
      file: 'test/converse/sessions.test.ts',
      title: 'are not created twice when the removal of the conversation was interrupted',
    },
  },
  {
    suite: 'kill-everywhere',
    found:
      'After a plan was killed when a task was in place and its parent was not yet, every command refused the session.',
    test: {
      file: 'test/session/plan.test.ts',
      title: 'reads tasks correctly when a killed process had moved a subtask before its parent',
    },
  },
  {
    suite: 'kill-everywhere',
    found:
      'The lock of a killed process stayed beside a task that no longer changed, and was archived with it.',
    test: {
      file: 'test/session/kill.test.ts',
      title: 'is removed, even if the task is not changed again',
    },
  },
  {
    suite: 'power-loss',
    found: 'A time already written to a document could differ after a power loss.',
  },
  {
    suite: 'power-loss',
    found:
      'An archive that had been reported could be lost, because the folder created for it was not synced.',
  },
  {
    suite: 'power-loss',
    found: 'A session could be in the archives without the summaries of its tasks.',
  },
  {
    suite: 'power-loss',
    found:
      'After a conversation was archived, a power loss could bring back its prompts and answers without it.',
    test: {
      file: 'test/converse/sessions.test.ts',
      title: 'are created before the conversation is removed, whose document is durably removed last',
    },
  },
  {
    suite: 'torn-and-flipped',
    found: 'A damaged answer to an approval could not be replaced by a valid one.',
    test: {
      file: 'test/workflow/approve.test.ts',
      title: 'ignores a damaged or invalid answer (%j) and replaces it with a valid one',
    },
  },
  {
    suite: 'torn-and-flipped',
    found: 'A cassette with a damaged line was replayed without it.',
  },
  {
    suite: 'torn-and-flipped',
    found: 'A journal with a damaged newline before the last intact record passed for one with a torn tail.',
    test: {
      file: 'test/store/journal-file.test.ts',
      title: 'never returns a record that was not written, whichever byte is changed',
    },
  },
  {
    suite: 'faults',
    found: 'A task was started although its start could not be written to the disk.',
    test: {
      file: 'test/session/kill.test.ts',
      title: 'does not start a task that it cannot mark active, and continues once there is space',
    },
  },
  {
    suite: 'faults',
    found: '`resume` did not retry the writes of a loop that a full disk had refused.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'continues after the disk refused its metadata (%i)',
    },
  },
  {
    suite: 'faults',
    found: 'A loop was reported as complete although its verification could not be written to the disk.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'is not complete before its metadata records the verification',
    },
  },
  {
    suite: 'faults',
    found: 'A workspace was archived a second time if the disk had refused to remove it after the first.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'is archived once, even if the workspace cannot be removed',
    },
  },
  {
    suite: 'faults',
    found: 'A temporary file that could not be removed was archived with its workspace.',
    test: {
      file: 'test/iterate/archive.test.ts',
      title: 'omits temporary files, and still counts as complete',
    },
  },
  {
    suite: 'faults',
    found: 'An unfinished cache entry that could not be removed ended its run with an internal error.',
  },
  {
    suite: 'faults',
    found: 'A lock that could not be removed kept its own process waiting, half a minute for each change.',
    test: {
      file: 'test/store/lock.test.ts',
      title: 'still counts as released: its own process can acquire it again',
    },
  },
  {
    suite: 'faults',
    found: 'A disk that was full when a run started left a folder that `resume last` took for a run.',
  },
  {
    suite: 'contention',
    found: '`phases run` started again beside a run that was killed, and left its agent running.',
    test: {
      file: 'test/phases/run.test.ts',
      title: 'resumes the killed run and ends the agent it left running',
    },
  },
  {
    suite: 'contention',
    found:
      'The last of forty processes that changed the same session gave up, although the lock passed from one to the next.',
    test: {
      file: 'test/store/lock.test.ts',
      title: 'restarts the wait when the lock passes to another owner',
    },
  },
  {
    suite: 'processes',
    found: 'A child that had cleared its environment and left its parent outlived a second Ctrl-C.',
    test: {
      file: 'test/process/running-processes.test.ts',
      title: 'a process (%s) that ignores signals is killed with its group and its sessions',
    },
  },
  {
    suite: 'processes',
    found: 'An agent that kept printing after its result was never stopped.',
    test: {
      file: 'test/agents/run-agent.test.ts',
      title: 'is forced if the agent only prints bookkeeping after its result',
    },
  },
  {
    suite: 'time',
    found: 'A clock that was set back by a day made a pause a day longer, and durations negative.',
    test: {
      file: 'test/engine/wait-until.test.ts',
      title: 'ends a pause after its length even if the wall clock was set back',
    },
  },
  {
    suite: 'security',
    found:
      'A folder that was replaced by a link at the right moment redirected a file outside the workspace.',
    test: {
      file: 'test/store/safe-path.test.ts',
      title: 'creates %s nowhere else if its folder was replaced by a link',
    },
  },
  {
    suite: 'security',
    found: 'A credential that an agent had put into its status was sent with a notification.',
    test: {
      file: 'test/iterate/notifications.test.ts',
      title: 'contain no credential from the status of the agent',
    },
  },
  {
    suite: 'identity',
    found:
      'If `/proc` could not be read, a living owner was taken for dead, and two processes wrote one journal.',
    test: {
      file: 'test/cli/owner.test.ts',
      title: 'counts as alive if `/proc` cannot be read, with advice',
    },
  },
  {
    suite: 'identity',
    found: 'A machine with the same host name and another boot id took over a living run.',
    test: {
      file: 'test/cli/owner.test.ts',
      title: 'is not replaced by another machine with %s',
    },
  },
  {
    suite: 'identity',
    found: 'A killed run could not be resumed after the machine was renamed.',
    test: {
      file: 'test/cli/owner.test.ts',
      title: 'is taken over if the host name has changed',
    },
  },
  {
    suite: 'identity',
    found:
      'A start that was killed while creating the folder of its run left one that no command could read.',
    test: { file: 'test/cli/run-window.test.ts', title: 'leaves no run, or one that can be resumed' },
  },
  {
    suite: 'identity',
    found: '`clean` removed a healthy run that was just starting.',
    test: {
      file: 'test/cli/run-window.test.ts',
      title: 'a run that is just starting is removed neither by `clean` nor by the next start',
    },
  },
  {
    suite: 'identity',
    found: 'A run whose folder was moved created the old one again and reported success.',
    test: {
      file: 'test/cli/moved-workspace.test.ts',
      title: 'is not completed if the folder was moved during its last step',
    },
  },
  {
    suite: 'processes',
    found:
      'A daemon that had dropped its environment, its session and its parent outlived its step and the run.',
    test: { file: 'test/workflow/daemons.test.ts', title: 'when the run of a step that %s has ended' },
  },
  {
    suite: 'processes',
    found:
      'Without `/proc`, as on macOS, `resume` after a kill ran a step beside the process that the killed program had started for it.',
    test: {
      file: 'test/workflow/without-proc.test.ts',
      title: 'what the killed program left running is stopped before its step runs again: %s',
    },
  },
  {
    suite: 'faults',
    found: 'An input of a cached step that could be read but not closed was an internal error.',
    test: {
      file: 'test/workflow/cache.test.ts',
      title: 'tolerates an input that cannot be closed after reading',
    },
  },
  {
    suite: 'security',
    found:
      'The history of phases, the log of their hooks and whole run folders were written through links that led outside the workspace.',
    test: { file: 'test/cli/leading-elsewhere.test.ts', title: 'the history is not written through a link' },
  },
  {
    suite: 'security',
    found: 'An `output_file` with a hard link elsewhere overwrote that file.',
    test: {
      file: 'test/cli/leading-elsewhere.test.ts',
      title: 'an output_file with a hard link elsewhere is replaced by a copy',
    },
  },
  {
    suite: 'security',
    found:
      "A cloned project's settings, tasks, conversations and unfinished runs ran their programs without asking.",
    test: {
      file: 'test/cli/trust.test.ts',
      title: 'is not resumed without asking, by its own file or by any other',
    },
  },
  {
    suite: 'security',
    found: 'A pipe in the place of a settings file, a journal, a lock or a task made every command hang.',
    test: {
      file: 'test/cli/leading-elsewhere.test.ts',
      title: 'settings that are a pipe are reported and do not block',
    },
  },
  {
    suite: 'foreign-files',
    found: 'A summary, plan or to-do list written by a user was removed or replaced.',
    test: {
      file: 'test/session/foreign-files.test.ts',
      title: 'stays in place when `%s` writes views',
    },
  },
  {
    suite: 'foreign-files',
    found: 'A folder with the name of a task ended every command of its session with an internal error.',
    test: {
      file: 'test/session/foreign-files.test.ts',
      title: 'is reported if it is a folder named like a task',
    },
  },
  {
    suite: 'foreign-files',
    found: 'Files in a folder called `.adding` were moved among the tasks.',
    test: {
      file: 'test/session/foreign-files.test.ts',
      title: 'is left in `.adding`',
    },
  },
  {
    suite: 'foreign-files',
    found: '`phases archive` moved a folder that was in the place of the to-do list into the archive.',
    test: {
      file: 'test/phases/foreign-files.test.ts',
      title: 'stay in place when a folder is where the todo list is archived',
    },
  },
  {
    suite: 'linear-time',
    found:
      'The shell script parser searched for the end of an unclosed expansion again at each of its characters.',
  },
  {
    suite: 'faults',
    found:
      'After the disk refused the report of a verification, the agent was asked in vain, paid again by `resume`, and its own report kept as that of a user.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'verifies once, and keeps no copy of its own report, when the disk refused %s',
    },
  },
  {
    suite: 'faults',
    found: 'A loop without pauses made them when it was resumed, one for each iteration already done.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'makes no pause where the loop was started without one',
    },
  },
  {
    suite: 'faults',
    found: '`phases create` was refused after it had failed when the workflow was already written.',
    test: {
      file: 'test/phases/commands.test.ts',
      title: 'completes a creation that %s when the document was already written',
    },
  },
  {
    suite: 'faults',
    found: '`converse archive` said that there was nothing to archive when it could not read a conversation.',
    test: {
      file: 'test/converse/sessions.test.ts',
      title: '%s reports a conversation whose document cannot be read',
    },
  },
  {
    suite: 'power-loss',
    found: 'A power loss while tasks were added could leave a subtask without its parent.',
    test: {
      file: 'test/session/plan.test.ts',
      title: 'removes no task from `.adding` before all of them are durably in place',
    },
  },
  {
    suite: 'faults',
    found: 'A run was not recognised as started by its user if the new key could not be read back.',
    test: {
      file: 'test/cli/trust.test.ts',
      title: 'is resumed without asking even if the key could not be read back when it was created',
    },
  },
  {
    suite: 'faults',
    found: 'A hook kept its own session file as that of another tool when the disk refused to read it.',
    test: {
      file: 'test/phases/foreign-files.test.ts',
      title: 'are not what the disk refuses to read: %s',
    },
  },
  {
    suite: 'power-loss',
    found:
      'The `.gitignore` of a new `.orchestrate` could be empty after a power loss, so that Git saw its runs.',
  },
  {
    suite: 'faults',
    found:
      'The question whether to trust a run did not say that the disk had refused to read the key that identifies own runs.',
    test: {
      file: 'test/cli/trust.test.ts',
      title: 'is asked about, with the reason, if the disk refuses to read the key',
    },
  },
  {
    suite: 'kill-everywhere',
    found: 'If the first `iterate init` was killed, the folder of its workspaces never got its `.gitignore`.',
    test: {
      file: 'test/iterate/commands.test.ts',
      title: 'completes the folder of the workspaces when the first `init` was killed',
    },
  },
  {
    suite: 'fuzz',
    found: 'A value became code in a subscript that contains a blank: `a[v + 1]=1`.',
    test: {
      file: 'test/workflow/injection.test.ts',
      title:
        'cannot become code through a name computed later, as an argument of a script, or in an option that runs a command',
    },
  },
  {
    suite: 'worktrees',
    found:
      'After a power loss, saved work of a worktree was lost, because git does not sync its objects; and files that git had not written yet counted as deleted by the work.',
    test: {
      file: 'test/workflow/isolate.test.ts',
      title:
        'its folder is on the disk before it counts as made, and so is every object of git (exit code %i of `sync`)',
    },
  },
  {
    suite: 'worktrees',
    found: 'A lock that git had left on the current branch failed the merge without being named.',
    test: {
      file: 'test/workflow/isolate.test.ts',
      title: 'names a lock that a killed git left on the current branch, and is merged once that is removed',
    },
  },
  {
    suite: 'worktrees',
    found: 'A user whose home folder is a link was asked for trust at every resume of an own run.',
    test: {
      file: 'test/cli/trust.test.ts',
      title: 'is resumed without asking, and trust is remembered, if `%s` of the home is a link',
    },
  },
  {
    suite: 'cluster',
    found:
      'A worker that had lost its network, or was stopped, ended the commands of the worker on the same machine that had taken over its steps.',
    test: {
      file: 'test/cluster/worker.test.ts',
      title:
        'ends what it started itself, and nothing of the worker on the same machine that has its step now',
    },
  },
  {
    suite: 'faults',
    found:
      '`--archive-processed` ended with an internal error: the build had left out the package that writes archives.',
    test: {
      file: 'test/cli/archive-processed.test.ts',
      title: '`--archive-processed` takes any file that the user may write',
    },
  },
  {
    suite: 'cluster',
    found: 'A database server that was killed between two statements of a transaction ended the worker.',
    test: {
      file: 'test/cluster/connect.test.ts',
      title: 'fails what uses it as an outage, and nothing else',
    },
  },
  {
    suite: 'cluster',
    found:
      'An answer that came at the very moment when a run stopped to wait was recorded, and the run waited on. A run on one machine could lose it as well.',
    test: {
      file: 'test/engine/dbos/rows.test.ts',
      title: 'an answer lets its turn continue, even if the run has read it',
    },
  },
];
