import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJournal, type JournalFile, JournalWriteError } from '../../src/store/journal-file.ts';
import { folderForEach } from '../rig/temporary-folder.ts';
import { event, loaded, opened } from './journal-rig.ts';

const folder = folderForEach();
const journalPath = () => join(folder.path, 'journal.jsonl');

describe('appending', () => {
  it('keeps the order of the calls, however they are mixed', async () => {
    const journal = createJournal(journalPath());
    const first = journal.append(event(1));
    journal.appendNow(event(2));
    const third = journal.append(event(3));
    journal.appendNow(event(4));
    await Promise.all([first, third]);
    journal.close();
    expect(loaded(journalPath()).events).toEqual([1, 2, 3, 4].map(event));
  });

  it('syncs once for all records of one turn, and writes them at once', async () => {
    const journal = createJournal(journalPath());
    const calls = await countingCalls(async () => {
      await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => journal.append(event(n))));
    });
    expect(calls).toEqual({ writes: 1, syncs: 1 });
    journal.close();
    expect(loaded(journalPath()).events).toHaveLength(8);
  });

  it('resolves only after the sync', async () => {
    const journal = createJournal(journalPath());
    let synced = false;
    const { fdatasyncSync } = fs;
    fs.fdatasyncSync = (fd) => {
      fdatasyncSync(fd);
      synced = true;
    };
    try {
      await journal.append(event(1));
      expect(synced).toBe(true);
    } finally {
      fs.fdatasyncSync = fdatasyncSync;
      journal.close();
    }
  });

  it('writes waiting records to the disk when it is closed', async () => {
    const journal = createJournal(journalPath());
    const appended = journal.append(event(1));
    journal.close();
    expect(loaded(journalPath()).events).toEqual([event(1)]);
    await appended;
    await expect(journal.append(event(2))).rejects.toThrow('is closed');
  });

  it('continues after a write that accepted only some of the bytes', async () => {
    const journal = createJournal(journalPath());
    const restore = patchWrites((original, fd, bytes) => original(fd, bytes.subarray(0, 7)));
    try {
      await journal.append(event(1));
      journal.appendNow(event(2));
    } finally {
      restore();
    }
    journal.close();
    expect(loaded(journalPath()).events).toEqual([event(1), event(2)]);
  });

  it.each(['ENOSPC', 'EIO'])(
    'reports %s, leaves only complete records, and accepts nothing more',
    async (code) => {
      const journal = createJournal(journalPath());
      await journal.append(event(1));
      let written = 0;
      const restore = patchWrites((original, fd, bytes) => {
        if (written > 0) throw Object.assign(new Error(code), { code });
        written = original(fd, bytes.subarray(0, 20));
        return written;
      });
      const failed = Promise.allSettled([journal.append(event(2)), journal.append(event(3))]);
      expect((await failed).map((each) => each.status === 'rejected' && each.reason)).toEqual([
        expect.objectContaining({ type: 'journal-write-error', code, path: journalPath() }),
        expect.objectContaining({ type: 'journal-write-error', code, path: journalPath() }),
      ]);
      restore();
      expectRefused(journal);
      await expect(journal.append(event(4))).rejects.toBeInstanceOf(JournalWriteError);
      journal.close();
      expect(loaded(journalPath())).toEqual({ events: [event(1)], tornBytes: 0 });
    },
  );

  it('accepts nothing more after a failed sync', async () => {
    const journal = createJournal(journalPath());
    const { fdatasyncSync } = fs;
    fs.fdatasyncSync = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    try {
      await expect(journal.append(event(1))).rejects.toMatchObject({ code: 'EIO' });
    } finally {
      fs.fdatasyncSync = fdatasyncSync;
    }
    expectRefused(journal);
    journal.close();
  });

  it('keeps nothing that a failed sync may not have written', async () => {
    const journal = createJournal(journalPath());
    await journal.append(event(1));
    journal.appendNow(event(2));
    const { fdatasyncSync } = fs;
    fs.fdatasyncSync = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    try {
      await expect(journal.append(event(3))).rejects.toMatchObject({ code: 'EIO' });
      journal.close();
    } finally {
      fs.fdatasyncSync = fdatasyncSync;
    }
    expect(loaded(journalPath())).toEqual({ events: [event(1)], tornBytes: 0 });
  });

  it('states in each record how far the disk was synced', async () => {
    const journal = createJournal(journalPath());
    journal.appendNow(event(1));
    await journal.append(event(2));
    journal.appendNow(event(3));
    await Promise.all([journal.append(event(4)), journal.append(event(5))]);
    journal.close();
    const again = opened(journalPath());
    again.journal.appendNow(event(6));
    again.journal.close();
    const lines = fs.readFileSync(journalPath(), 'utf8').trimEnd().split('\n').slice(1);
    expect(lines.map((line) => JSON.parse(line).synced)).toEqual([0, 0, 2, 2, 2, 5]);
  });

  it('leaves no file behind if the header cannot be written', () => {
    const restore = patchWrites(() => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    try {
      expect(() => createJournal(journalPath())).toThrow('the disk is full (ENOSPC)');
    } finally {
      restore();
    }
    expect(fs.readdirSync(folder.path)).toEqual([]);
  });
});

type Write = (fd: number, bytes: Buffer) => number;

function patchWrites(replacement: (original: Write, ...parameters: Parameters<Write>) => number): () => void {
  const original = fs.writevSync;
  fs.writevSync = (fd, [bytes]) => replacement((to, part) => original(to, [part]), fd, bytes as Buffer);
  return () => {
    fs.writevSync = original;
  };
}

async function countingCalls(action: () => Promise<void>): Promise<{ writes: number; syncs: number }> {
  const calls = { writes: 0, syncs: 0 };
  const { fdatasyncSync } = fs;
  const restore = patchWrites((original, ...parameters) => {
    calls.writes += 1;
    return original(...parameters);
  });
  fs.fdatasyncSync = (fd) => {
    calls.syncs += 1;
    fdatasyncSync(fd);
  };
  try {
    await action();
  } finally {
    restore();
    fs.fdatasyncSync = fdatasyncSync;
  }
  return calls;
}

function expectRefused(journal: JournalFile): void {
  expect(() => journal.appendNow(event(99))).toThrow(JournalWriteError);
}
