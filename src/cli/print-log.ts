import { StringDecoder } from 'node:string_decoder';
import { type FilePart, readLog } from '../operations/runs/read-log.ts';
import { printable } from '../report/text/printable.ts';
import { writeOut } from './standard-output.ts';

/** Prints a log unchanged, on a terminal without control characters. False if the reader has closed the pipe. */
export function printLog(path: string, isTerminal: boolean, part?: FilePart): boolean {
  const decoder = new StringDecoder('utf8');
  for (const bytes of readLog(path, part)) {
    if (!writeOut(isTerminal ? Buffer.from(printable(decoder.write(bytes))) : bytes)) return false;
  }
  return writeOut(Buffer.from(isTerminal ? printable(decoder.end()) : ''));
}
