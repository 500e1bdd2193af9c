/** What the proof has found in the program. Each is mended, and what keeps it so is named: a test of its own, or the points of the suite. */
export interface FoundBug {
  readonly suite: string;
  /** What went wrong, as a user would have met it. */
  readonly found: string;
  /** Absent where nothing but the suite itself can show it. */
  readonly test?: { readonly file: string; readonly title: string };
}

export const FINDINGS: readonly FoundBug[] = [
  {
    suite: 'kill-everywhere',
    found: 'Temporary files, locks and half-made folders of a killed process stayed for good.',
  },
  {
    suite: 'kill-everywhere',
    found: 'An archive was made twice of a conversation whose removal was cut off.',
    test: {
      file: 'test/converse/sessions.test.ts',
      title: 'are not made twice of a conversation whose removal was cut off',
    },
  },
  {
    suite: 'kill-everywhere',
    found:
      'A plan that was killed when a task had its place and its parent had not yet made every command refuse the session.',
    test: {
      file: 'test/session/plan.test.ts',
      title:
        'reads tasks of which a killed process had moved some, a child before its parent, as what they are',
    },
  },
  {
    suite: 'kill-everywhere',
    found:
      'A lock of a killed process stayed beside a task that nobody changed any more, and went into the archive with it.',
    test: {
      file: 'test/session/kill.test.ts',
      title: 'is cleared away, also where nobody changes the task any more',
    },
  },
  {
    suite: 'power-loss',
    found: 'A time that stood in a document already could be another one after a power loss.',
  },
  {
    suite: 'power-loss',
    found: 'An archive that was told of could be gone, as the folder that was made for it was not synced.',
  },
  {
    suite: 'power-loss',
    found: 'A session could stand in the archives without the summaries of its tasks.',
  },
  {
    suite: 'power-loss',
    found:
      'A conversation was archived, and after a power loss its prompts and answers were back without it.',
    test: {
      file: 'test/converse/sessions.test.ts',
      title: 'have every other file of the conversation gone for good before its document goes',
    },
  },
  {
    suite: 'torn-and-flipped',
    found: 'A damaged answer to an approval could not be replaced by a good one.',
    test: {
      file: 'test/workflow/approve.test.ts',
      title: 'takes an answer that is damaged or no choice (%j) for none, and puts a good one in its place',
    },
  },
  {
    suite: 'torn-and-flipped',
    found: 'A cassette with a damaged line was replayed without it.',
  },
  {
    suite: 'torn-and-flipped',
    found:
      'A journal whose newline before the last whole record was damaged passed for one with a torn tail.',
    test: {
      file: 'test/store/journal-file.test.ts',
      title: 'never gives a record that was not written, whichever byte is changed',
    },
  },
  {
    suite: 'faults',
    found: 'A task was begun though the disk had refused to note that it was.',
    test: {
      file: 'test/session/kill.test.ts',
      title: 'does not begin a task whose document cannot say so, and goes on once there is room',
    },
  },
  {
    suite: 'faults',
    found: 'What a full disk had refused a loop was not tried again by `resume`.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'goes on after the disk has refused its metadata (%i)',
    },
  },
  {
    suite: 'faults',
    found: 'A loop was called complete though the disk had refused to note its verification.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'is not complete before its metadata tells of the verification',
    },
  },
  {
    suite: 'faults',
    found: 'A workspace was archived a second time where the disk had refused to let it go after the first.',
    test: {
      file: 'test/iterate/durability.test.ts',
      title: 'is archived once, also when the disk refuses to let the workspace go',
    },
  },
  {
    suite: 'faults',
    found: 'A temporary file that the disk did not let go was archived with its workspace.',
    test: {
      file: 'test/iterate/archive.test.ts',
      title: 'leaves out what is only on its way to its place, and knows such an archive for whole',
    },
  },
  {
    suite: 'faults',
    found:
      'A half-made entry of the cache that could not be cleared away ended its run as an internal error.',
  },
  {
    suite: 'faults',
    found: 'A lock that the disk did not let go kept its own process waiting, half a minute for each change.',
    test: {
      file: 'test/store/lock.test.ts',
      title: 'is given back all the same: its own process takes it again',
    },
  },
  {
    suite: 'faults',
    found: 'A disk that was full when a run began left a folder that `resume last` took for a run.',
  },
  {
    suite: 'contention',
    found: '`phases run` began anew beside a run that was killed, and left its agent running.',
    test: {
      file: 'test/phases/run.test.ts',
      title: 'goes on with the run that was killed, and ends the agent that it has left',
    },
  },
  {
    suite: 'contention',
    found:
      'The last of forty that changed the same session gave up, though the lock went from one to the next.',
    test: {
      file: 'test/store/lock.test.ts',
      title: 'waits for each owner anew where the lock passes from one to the next',
    },
  },
  {
    suite: 'processes',
    found: 'A child that had cleared its environment and its parent outlived a second Ctrl-C.',
    test: {
      file: 'test/process/running-processes.test.ts',
      title: 'a process (%s) that ignores every wish to end is gone with its group and its sessions',
    },
  },
  {
    suite: 'processes',
    found: 'An agent that went on printing after its result was never ended.',
    test: {
      file: 'test/agents/run-agent.test.ts',
      title: 'an agent that goes on talking after its result, and says nothing, is ended too',
    },
  },
  {
    suite: 'time',
    found: 'A clock that was set back by a day made a pause a day longer, and lengths of time negative.',
    test: {
      file: 'test/engine/wait-until.test.ts',
      title: 'ends a pause after its own length when the wall clock was set back',
    },
  },
  {
    suite: 'security',
    found: 'A folder that was exchanged for a link at the right moment led a file out of the workspace.',
    test: {
      file: 'test/store/safe-path.test.ts',
      title: 'makes %s nowhere else when its folder was exchanged for a link',
    },
  },
  {
    suite: 'security',
    found: 'A credential that an agent had put into its status was sent along with a notification.',
    test: {
      file: 'test/iterate/notifications.test.ts',
      title: 'tell no credential that the agent has put into its status',
    },
  },
  {
    suite: 'identity',
    found:
      'Where `/proc` could not be read, a living owner was taken for dead, and two processes wrote one journal.',
    test: {
      file: 'test/cli/owner.test.ts',
      title: 'counts as alive where `/proc` cannot be read, and it is said what to do',
    },
  },
  {
    suite: 'identity',
    found: 'A machine with the same host name and another boot id took over a living run.',
    test: {
      file: 'test/cli/owner.test.ts',
      title: 'keeps its run from another machine with %s',
    },
  },
  {
    suite: 'identity',
    found: 'A run that was killed could not be resumed after the machine was given another host name.',
    test: {
      file: 'test/cli/owner.test.ts',
      title: 'is taken over where the host has another name by now',
    },
  },
  {
    suite: 'identity',
    found: 'A start that was killed while it made the folder of its run left one that no command could read.',
    test: { file: 'test/cli/run-window.test.ts', title: 'is no run, or one that can be resumed' },
  },
  {
    suite: 'identity',
    found: '`clean` removed a healthy run that was only beginning.',
    test: {
      file: 'test/cli/run-window.test.ts',
      title: 'a run that is only beginning is removed neither by `clean` nor by the next start',
    },
  },
  {
    suite: 'identity',
    found: 'A run whose folder was moved made the old one anew and reported success.',
    test: {
      file: 'test/cli/moved-workspace.test.ts',
      title: 'is not completed where the folder was moved during its last step',
    },
  },
  {
    suite: 'processes',
    found:
      'A daemon that had given up its environment, its session and its parent outlived every end of its step and of the run.',
    test: { file: 'test/workflow/daemons.test.ts', title: 'when the run of a step that %s is over' },
  },
  {
    suite: 'processes',
    found:
      'Without `/proc`, as on macOS, `resume` after a kill ran a step beside the process that the killed program had started for it.',
    test: {
      file: 'test/workflow/without-proc.test.ts',
      title: 'what the killed program left running is ended before its step runs again: %s',
    },
  },
  {
    suite: 'faults',
    found: 'An input of a cached step that could be read and not be closed was an internal error.',
    test: {
      file: 'test/workflow/cache.test.ts',
      title: 'is not disturbed by an input that was read and cannot be closed',
    },
  },
  {
    suite: 'security',
    found:
      'The history of phases, the log of their hooks and whole run folders were written through links that led out of the workspace.',
    test: { file: 'test/cli/leading-elsewhere.test.ts', title: 'no history is written through a link' },
  },
  {
    suite: 'security',
    found: 'An `output_file` with a hard link elsewhere overwrote that file.',
    test: {
      file: 'test/cli/leading-elsewhere.test.ts',
      title: 'an output_file with a hard link elsewhere becomes a file of its own',
    },
  },
  {
    suite: 'security',
    found:
      "A cloned project's settings, tasks, conversations and unfinished runs ran their programs unasked.",
    test: {
      file: 'test/cli/trust.test.ts',
      title: 'is not gone on with unasked, by its own file or by any other',
    },
  },
  {
    suite: 'security',
    found:
      'A pipe in the place of a settings file, a journal, a lock or a task made every command wait for ever.',
    test: {
      file: 'test/cli/leading-elsewhere.test.ts',
      title: 'settings that are a pipe are told and not waited for',
    },
  },
  {
    suite: 'foreign-files',
    found: 'A summary, plan or to-do list that somebody else had written was removed or replaced.',
    test: {
      file: 'test/session/foreign-files.test.ts',
      title: 'stays where it is, whatever `%s` writes',
    },
  },
  {
    suite: 'foreign-files',
    found: 'A folder with the name of a task ended every command of its session with an internal error.',
    test: {
      file: 'test/session/foreign-files.test.ts',
      title: 'and is a folder with the name of a task is named, whatever reads the session',
    },
  },
  {
    suite: 'foreign-files',
    found: 'Files in a folder called `.adding` were moved among the tasks.',
    test: {
      file: 'test/session/foreign-files.test.ts',
      title: 'is left in `.adding`, where the session keeps only tasks',
    },
  },
  {
    suite: 'foreign-files',
    found: '`phases archive` moved a folder into the archive that stood in the place of the to-do list.',
    test: {
      file: 'test/phases/foreign-files.test.ts',
      title: 'stay where they are when a folder stands in the place of the list that is archived',
    },
  },
  {
    suite: 'linear-time',
    found:
      'The reader of shell scripts looked for the end of an unclosed expansion again at each of its characters.',
  },
];
