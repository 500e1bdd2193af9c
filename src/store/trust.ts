/**
 * What a user has agreed to run: `trust.json` in the user's folder, readable by the user alone.
 *
 *   {"version": 1, "folders": {"/real/path": [{"at": "…", "claims": {"claude.command": "<digest of its value>"}}]}}
 *
 * T1 Claims are trusted together, as they were shown: the current ones are trusted if one agreement of the same folder has them all, with
 *    the same values. So a changed value is asked about again, and a removed one is not.
 * T2 A file that cannot be read is an agreement to nothing.
 * T3 Claims with the same name are trusted as a list: a value cannot hide behind another one.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { canonicalJson, digestOfText } from './digest.ts';
import { createDocument, type DocumentParser, loadDocument, updateDocument } from './document.ts';
import { sweepLocks } from './lock.ts';
import { makeFolder } from './make-folder.ts';

/** A program that a file causes to run, or an address that it causes to be notified. */
export interface Claim {
  /** The name of the setting: `claude.command`. */
  readonly name: string;
  readonly value: JsonValue;
  /** A short form of the value. */
  readonly shown?: string;
  /** The file that sets it, for display. */
  readonly file: string;
}

/** `changed`: another value of it was agreed to. */
export type Standing = 'new' | 'changed' | 'known';

export interface WeighedClaim extends Claim {
  readonly standing: Standing;
}

interface Agreement {
  readonly at: string;
  readonly claims: { readonly [name: string]: string };
}

interface TrustFile extends JsonObject {
  readonly version: 1;
  readonly folders: { readonly [folder: string]: JsonValue };
}

/** Per folder; the oldest are dropped first. */
const MOST_AGREEMENTS = 50;

export function trustFile(userFolder: string): string {
  return join(userFolder, 'trust.json');
}

/** Undefined if there is nothing to ask. Otherwise all claims, with the standing of each. */
export function untrusted(
  file: string,
  folder: string,
  claims: readonly Claim[],
): readonly WeighedClaim[] | undefined {
  if (claims.length === 0) return undefined;
  const loaded = loadDocument(file, parseTrust);
  const agreements = loaded.type === 'ok' ? agreementsOf(loaded.value, folder) : [];
  const digests = digestsOf(claims);
  if (agreements.some((agreement) => holds(agreement, digests))) {
    // The process that wrote the agreement may have been killed before it released the lock.
    sweepLocks(dirname(file));
    return undefined;
  }
  return claims.map((claim) => {
    const known = agreements.filter(({ claims: agreed }) => agreed[claim.name] !== undefined);
    const isSame = known.some(({ claims: agreed }) => agreed[claim.name] === digests[claim.name]);
    return { ...claim, standing: isSame ? 'known' : known.length > 0 ? 'changed' : 'new' };
  });
}

/** Why the file cannot be read, if there is one. */
export function whyUnread(file: string): string | undefined {
  const loaded = loadDocument(file, parseTrust);
  return loaded.type === 'ok' || !('message' in loaded.error) || loaded.error.type === 'missing'
    ? undefined
    : loaded.error.message;
}

/** Trusts these claims in this folder from now on. The error is a sentence. */
export async function agreeTo(
  file: string,
  folder: string,
  claims: readonly Claim[],
): Promise<Result<void, string>> {
  if (claims.length === 0) return ok(undefined);
  try {
    makeFolder(dirname(file), 0o700);
    const created = await createDocument(file, { version: 1, folders: {} }, { mode: 0o600 });
    if (created.type === 'error' && created.error.type !== 'exists')
      return error(created.error.type === 'held' ? `\`${file}\` is locked` : created.error.message);
  } catch (cause) {
    return error(`cannot write \`${file}\`: ${(cause as Error).message}`);
  }
  const agreement: Agreement = { at: new Date().toISOString(), claims: digestsOf(claims) };
  const updated = await updateDocument(file, parseTrust, (document) => {
    const kept = agreementsOf(document, folder).filter((each) => !holds(agreement, each.claims));
    const agreements = [...kept, agreement].slice(-MOST_AGREEMENTS);
    return {
      ...document,
      folders: { ...document.folders, [realPath(folder)]: agreements as unknown as JsonValue },
    };
  });
  if (updated.type === 'ok') return ok(undefined);
  return error(updated.error.type === 'held' ? `\`${file}\` is locked` : updated.error.message);
}

/** T1 */
function holds({ claims }: Pick<Agreement, 'claims'>, digests: Agreement['claims']): boolean {
  return Object.entries(digests).every(([name, digest]) => claims[name] === digest);
}

/** T3. Canonical JSON has no line breaks. */
function digestsOf(claims: readonly Claim[]): Agreement['claims'] {
  const values = new Map<string, string>();
  for (const { name, value } of claims) {
    const before = values.get(name);
    const text = canonicalJson(value);
    values.set(name, before === undefined ? text : `${before}\n${text}`);
  }
  return Object.fromEntries([...values].map(([name, text]) => [name, digestOfText(text)]));
}

function agreementsOf(document: TrustFile, folder: string): readonly Agreement[] {
  const path = realPath(folder);
  const kept = Object.hasOwn(document.folders, path) ? document.folders[path] : undefined;
  return (Array.isArray(kept) ? kept : []).filter(
    (each): each is JsonObject & Agreement => isJsonObject(each) && isJsonObject(each['claims']),
  );
}

function realPath(folder: string): string {
  return fs.realpathSync(folder);
}

const parseTrust: DocumentParser<TrustFile> = (value) =>
  isJsonObject(value) && value['version'] === 1 && isJsonObject(value['folders'])
    ? ok(value as TrustFile)
    : error(['it is not a file of version 1 with `folders`']);
