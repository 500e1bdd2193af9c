/** Archived conversations: `archive/<session_id>.tar.gz`, with metadata in `.archived.json`. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, parseJson } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { createSha256 } from '../model/sha256.ts';
import { ArchiveError, readArchive, unpackArchive } from '../store/archive/read-archive.ts';
import { writeArchive } from '../store/archive/write-archive.ts';
import { digestOfPath } from '../store/digest.ts';
import { documentText, loadDocument } from '../store/document.ts';
import { errnoOf } from '../store/errno.ts';
import { makeFolder } from '../store/make-folder.ts';
import { copyPlain, readPlainText } from '../store/plain-file.ts';
import { removeIfEmpty } from '../store/remove-file.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { filesOf } from './conversation-files.ts';
import {
  archiveFile,
  archiveFolder,
  furtherBase,
  isSessionId,
  sessionDocument,
  sessionsFolder,
} from './layout.ts';
import { parseSession } from './session.ts';
import { type Conversation, findConversation, firstConversations } from './sessions.ts';

const NOTE = '.archived.json';
const MOST_TRIES = 100;

/** Returns the archive's path. Keeps the conversation; copies its files first, so that no other file of the workspace is included. */
export async function saveArchive(conversation: Conversation, now: Date): Promise<string> {
  const { folder, base, sessionId } = conversation;
  makeFolder(archiveFolder(folder));
  const staging = temporaryPath(join(archiveFolder(folder), sessionId));
  makeFolder(staging, 0o700);
  try {
    for (const path of filesOf(conversation)) {
      makeFolder(dirname(join(staging, path)));
      copyFile(join(base, path), join(staging, path));
    }
    const note = { session_id: sessionId, archived_at: now.toISOString(), first: base === folder };
    for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
      const to = tried === 1 ? archiveFile(folder, sessionId) : archiveFile(folder, sessionId, tried);
      if (fs.existsSync(to)) continue;
      try {
        await writeArchive({ folder: staging, except: [], add: { [NOTE]: documentText(note) }, to });
        return to;
      } catch (cause) {
        if (errnoOf(cause) !== 'EEXIST') throw cause;
      }
    }
    throw new ArchiveError(`${MOST_TRIES} archives of \`${sessionId}\` already exist`);
  } finally {
    fs.rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * The archive that contains every file of the conversation in its current state, if there is one: its process was killed before or while
 * removing the files.
 */
export async function archiveHolding(conversation: Conversation): Promise<string | undefined> {
  const { folder, sessionId } = conversation;
  for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
    const file = tried === 1 ? archiveFile(folder, sessionId) : archiveFile(folder, sessionId, tried);
    if (!fs.existsSync(file)) return undefined;
    if (await holdsAll(file, conversation)) return file;
  }
  return undefined;
}

async function holdsAll(archive: string, conversation: Conversation): Promise<boolean> {
  const missing = new Set(filesOf(conversation));
  try {
    await readArchive(archive, async ({ path }, content) => {
      const hash = createSha256();
      for await (const chunk of content) hash.update(chunk);
      if (!missing.has(path)) return;
      if (digestOfPath(join(conversation.base, path)) === hash.digest('hex')) missing.delete(path);
    });
  } catch (cause) {
    if (cause instanceof ArchiveError) return false;
    throw cause;
  }
  return missing.size === 0;
}

function copyFile(from: string, to: string): void {
  copyPlain(from, to);
  const { mtime } = fs.statSync(from);
  fs.utimesSync(to, mtime, mtime);
}

/**
 * Restores a conversation to its original place if that is free, otherwise under `sessions/`. Existing files are not touched, and
 * the document is written last. The error is a sentence.
 */
export async function restoreArchive(archive: string, folder: string): Promise<Result<Conversation, string>> {
  let staging: string | undefined;
  try {
    makeFolder(sessionsFolder(folder));
    staging = temporaryPath(join(sessionsFolder(folder), 'restored'));
    makeFolder(staging, 0o700);
    const leftOut = await unpackArchive(archive, staging, []);
    if (leftOut.length > 0) return error(`it contains a link that leads out of it: \`${leftOut[0]}\``);
    const note = noteIn(staging);
    if (note === undefined) return error('it does not contain a conversation');
    const { sessionId } = note;
    if (findConversation(folder, sessionId) !== undefined)
      return error(`conversation \`${sessionId}\` already exists`);
    fs.rmSync(join(staging, NOTE));
    const unpacked: Conversation = { sessionId, folder, base: staging };
    const base = note.wasFirst && isFree(unpacked) ? folder : furtherBase(folder, sessionId);
    if (base === folder) moveInto(unpacked, folder);
    else {
      fs.chmodSync(staging, 0o755);
      fs.renameSync(staging, base);
      staging = undefined;
    }
    return ok({ sessionId, folder, base });
  } catch (cause) {
    if (cause instanceof ArchiveError) return error(cause.message);
    return error(`${(cause as Error).message} (${errnoOf(cause)})`);
  } finally {
    if (staging !== undefined) fs.rmSync(staging, { recursive: true, force: true });
    removeIfEmpty(sessionsFolder(folder));
  }
}

interface Note {
  readonly sessionId: string;
  readonly wasFirst: boolean;
}

function noteIn(staging: string): Note | undefined {
  try {
    const note: unknown = parseJson(readPlainText(join(staging, NOTE)));
    if (!isJsonObject(note) || typeof note['session_id'] !== 'string') return undefined;
    const sessionId = note['session_id'];
    if (!isSessionId(sessionId)) return undefined;
    const document = loadDocument(join(staging, sessionDocument(sessionId)), parseSession);
    if (document.type === 'error' || document.value.session_id !== sessionId) return undefined;
    return { sessionId, wasFirst: note['first'] === true };
  } catch {
    return undefined;
  }
}

/** The workspace's own folders contain no conversation and none of the files to restore. */
function isFree(unpacked: Conversation): boolean {
  const { folder } = unpacked;
  return (
    firstConversations(folder).length === 0 &&
    filesOf(unpacked).every((path) => !fs.existsSync(join(folder, path)))
  );
}

function moveInto(unpacked: Conversation, folder: string): void {
  for (const path of filesOf(unpacked)) {
    makeFolder(dirname(join(folder, path)));
    // Unlike a rename, a link never replaces a file.
    fs.linkSync(join(unpacked.base, path), join(folder, path));
  }
}
