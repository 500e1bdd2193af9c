import { answerFile, type RunPaths } from '../store/layout.ts';
import { removeFile } from '../store/remove-file.ts';
import type { Answers } from './journal.ts';
import { readAnswer } from './read-answer.ts';

/** Answers as files of the run's folder. */
export function fileAnswers(paths: RunPaths): Answers {
  return {
    find: (key, question) => readAnswer(paths, key, question),
    forget: (key) => {
      removeFile(answerFile(paths, key));
      return undefined;
    },
  };
}
