import fs from 'node:fs';
import { closeFile } from '../../model/close-file.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { openPlainTo } from '../../store/plain-file.ts';
import { writeWhole } from '../../store/write-whole.ts';

const BUFFER_BYTES = 10 * 1024;

/** A buffered log. If it cannot be written, it reports that once and stops logging; the run continues. */
export class BufferedLog {
  readonly #onProblem: (problem: string) => void;
  #path = '';
  #fd: number | undefined;
  #buffer = '';
  #hasFailed = false;

  constructor(onProblem: (problem: string) => void) {
    this.#onProblem = onProblem;
  }

  /** True if the file does not exist yet. */
  open(path: string): boolean {
    this.#path = path;
    return !fs.existsSync(path);
  }

  write(text: string): void {
    if (this.#hasFailed) return;
    this.#buffer += text;
    if (this.#buffer.length > BUFFER_BYTES) this.flush();
  }

  lines(lines: readonly string[]): void {
    if (lines.length > 0) this.write(`${lines.join('\n')}\n`);
  }

  flush(): void {
    if (this.#hasFailed || this.#buffer === '') return;
    try {
      this.#fd ??= openPlainTo(this.#path, { to: 'append' });
      writeWhole(this.#fd, Buffer.from(this.#buffer));
      this.#buffer = '';
    } catch (cause) {
      this.#hasFailed = true;
      this.#buffer = '';
      const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
      this.#onProblem(
        `cannot write the log \`${this.#path}\`: ${errnoWords(code)}; the run continues without it`,
      );
    }
  }

  close(): void {
    this.flush();
    if (this.#fd !== undefined) closeFile(this.#fd);
    this.#fd = undefined;
    this.#hasFailed = true;
  }
}
