import type { Failure } from '../model/failure.ts';
import { GivenFile, LateFile } from './late-file.ts';
import { createMasker, type Masker } from './mask.ts';
import type { CapturedOutput, OutputRequest } from './request.ts';
import { HeadBuffer, TailRing } from './stream-ends.ts';

/** Masks first, then passes the stream to all its receivers. Memory: the head and the tail, nothing that grows. */
export class OutputSink {
  readonly #masker: Masker;
  readonly #logs: readonly LateFile[];
  readonly #given: readonly GivenFile[];
  readonly #head: HeadBuffer;
  readonly #tail: TailRing;
  readonly #onOutput: ((chunk: Buffer) => void) | undefined;
  #bytes = 0;

  constructor(request: OutputRequest, mask: readonly string[], onOutput?: (chunk: Buffer) => void) {
    this.#masker = createMasker(mask);
    this.#logs = request.files.map((path) => new LateFile(path));
    this.#given = (request.opened ?? []).map((file) => new GivenFile(file));
    this.#head = new HeadBuffer(request.headBytes);
    this.#tail = new TailRing(request.tailBytes);
    this.#onOutput = onOutput;
  }

  /** Before the process starts, so that the log of an earlier attempt is not mistaken for this one's. */
  prepare(): Failure | undefined {
    let failure: Failure | undefined;
    for (const log of this.#logs) failure ??= log.remove();
    return failure;
  }

  write(chunk: Buffer): Failure | undefined {
    return this.#deliver(this.#masker.push(chunk));
  }

  end(): Failure | undefined {
    let rest: Failure | undefined;
    let closing: Failure | undefined;
    try {
      rest = this.#deliver(this.#masker.end());
    } finally {
      closing = firstFailure(this.#logs, (log) => log.close());
    }
    return rest ?? closing;
  }

  captured(): CapturedOutput {
    return { bytes: this.#bytes, head: this.#head.bytes(), tail: this.#tail.bytes() };
  }

  #deliver(bytes: Buffer): Failure | undefined {
    if (bytes.length === 0) return undefined;
    this.#bytes += bytes.length;
    this.#head.push(bytes);
    this.#tail.push(bytes);
    const failure = firstFailure([...this.#logs, ...this.#given], (file) => file.write(bytes));
    this.#onOutput?.(bytes);
    return failure;
  }
}

/** Applies it to all files, even after one has failed. */
function firstFailure<File>(
  files: readonly File[],
  action: (file: File) => Failure | undefined,
): Failure | undefined {
  let failure: Failure | undefined;
  for (const file of files) {
    const problem = action(file);
    failure ??= problem;
  }
  return failure;
}
