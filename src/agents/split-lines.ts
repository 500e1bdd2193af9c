/**
 * Splits chunks of bytes into complete lines.
 *
 * S1  A line is passed as a range of a buffer, without its newline and a preceding carriage return; the buffer is only valid during the
 *     call. Bytes are not decoded here, so a character split between chunks stays intact.
 * S2  Memory is bounded by the longest accepted line. A longer one is passed as its first and last bytes, and the next line is read as
 *     usual.
 * S3  A last line without a newline counts.
 */
export interface LineSplitter {
  push(chunk: Buffer): void;
  end(): void;
}

export interface LineSink {
  line(buffer: Buffer, start: number, end: number): void;
  overlong(line: OverlongLine): void;
}

export interface OverlongLine {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly bytes: number;
}

/** Longer than any line a CLI would print, shorter than the maximum length of a string. */
export const LONGEST_LINE = 64 * 1024 * 1024;
const KEPT_OF_OVERLONG = 64 * 1024;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

export function createLineSplitter(sink: LineSink, longest = LONGEST_LINE): LineSplitter {
  let parts: Buffer[] = [];
  let pending = 0;
  let overlong: { head: Buffer; tail: Buffer } | undefined;

  function keep(piece: Buffer): void {
    pending += piece.length;
    if (overlong !== undefined) {
      overlong.tail = lastBytes(overlong.tail, piece);
      return;
    }
    parts.push(piece);
    if (pending <= longest) return;
    const all = Buffer.concat(parts);
    overlong = {
      head: Buffer.from(all.subarray(0, KEPT_OF_OVERLONG)),
      tail: lastBytes(Buffer.alloc(0), all),
    };
    parts = [];
  }

  function finish(): void {
    const [first, ...rest] = parts;
    if (overlong !== undefined) sink.overlong({ ...overlong, bytes: pending });
    else if (first !== undefined) {
      const line = rest.length === 0 ? first : Buffer.concat(parts);
      hand(line, 0, line.length);
    }
    parts = [];
    pending = 0;
    overlong = undefined;
  }

  function hand(buffer: Buffer, start: number, end: number): void {
    const last = end > start && buffer[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    if (last > start) sink.line(buffer, start, last);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
        if (pending === 0) hand(chunk, start, newline);
        else {
          keep(chunk.subarray(start, newline));
          finish();
        }
        start = newline + 1;
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    },
    end: finish,
  };
}

function lastBytes(before: Buffer, piece: Buffer): Buffer {
  if (piece.length >= KEPT_OF_OVERLONG) return Buffer.from(piece.subarray(piece.length - KEPT_OF_OVERLONG));
  const joined = Buffer.concat([before, piece]);
  return joined.length <= KEPT_OF_OVERLONG
    ? joined
    : Buffer.from(joined.subarray(joined.length - KEPT_OF_OVERLONG));
}
