/** Prints logs of steps: the stream of an agent as `--verbose` shows it, everything else unchanged. */
import { StringDecoder } from 'node:string_decoder';
import { type AgentLog, createAgentLog } from '../host/logs/agent-log.ts';
import type { AgentName } from '../model/agent.ts';
import type { LogFile } from '../operations/runs/log-files.ts';
import { type FilePart, readLog } from '../operations/runs/read-log.ts';
import { printable } from '../report/text/printable.ts';
import { writeOut } from './standard-output.ts';

export interface LogPrinterOptions {
  /** Control characters are left out. */
  readonly isTerminal: boolean;
  /** The adapter that reads this log; undefined if it is printed unchanged. */
  agentOf(file: LogFile): AgentName | undefined;
  /** Called for the log of an agent in which there was nothing to show. */
  onNothing(file: LogFile): void;
}

export class LogPrinter {
  readonly #options: LogPrinterOptions;
  readonly #streams = new Map<string, { readonly log: AgentLog; isShown: boolean } | undefined>();

  /** The last byte that was printed; a title starts on a new line. */
  #last = 0x0a;

  constructor(options: LogPrinterOptions) {
    this.#options = options;
  }

  /** False if the reader has closed the pipe. */
  title(text: string): boolean {
    return this.#write(Buffer.from(`${this.#last === 0x0a ? '' : '\n'}==> ${text} <==\n`));
  }

  /** Parts of a file are printed in order. False if the reader has closed the pipe. */
  print(file: LogFile, part?: FilePart): boolean {
    const stream = this.#streamOf(file);
    const decoder = new StringDecoder('utf8');
    for (const bytes of readLog(file.path, part)) {
      // A piece is valid until the next one is read, and a stream keeps unfinished lines.
      const isOpen =
        stream === undefined
          ? this.#write(this.#options.isTerminal ? Buffer.from(printable(decoder.write(bytes))) : bytes)
          : this.#show(stream, stream.log.push(Buffer.from(bytes)));
      if (!isOpen) return false;
    }
    return this.#write(Buffer.from(this.#options.isTerminal ? printable(decoder.end()) : ''));
  }

  /** Prints what is left of a file that is complete. */
  end(file: LogFile): boolean {
    const stream = this.#streamOf(file);
    if (stream === undefined) return true;
    const isOpen = this.#show(stream, stream.log.end());
    if (!stream.isShown) this.#options.onNothing(file);
    return isOpen;
  }

  #show(stream: { isShown: boolean }, text: string): boolean {
    stream.isShown ||= text !== '';
    return this.#write(Buffer.from(printable(text)));
  }

  #write(bytes: Uint8Array): boolean {
    this.#last = bytes.at(-1) ?? this.#last;
    return writeOut(bytes);
  }

  #streamOf(file: LogFile): { readonly log: AgentLog; isShown: boolean } | undefined {
    if (this.#streams.has(file.path)) return this.#streams.get(file.path);
    const agent = this.#options.agentOf(file);
    const stream = agent === undefined ? undefined : { log: createAgentLog(agent), isShown: false };
    this.#streams.set(file.path, stream);
    return stream;
  }
}
