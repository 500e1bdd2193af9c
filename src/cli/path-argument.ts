/**
 * Paths that the user types are relative to the current folder; operations take them relative to the workspace, which may be above it.
 * An option or argument that is a path says so with one of these parsers, and is translated before its command starts.
 */
import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { parseRunId } from '../model/ids.ts';
import { collect } from './run-options.ts';

/** `<file>`; `-` stays standard input. */
export function path(text: string): string {
  return text;
}

/** Repeatable. */
export function paths(text: string, before: readonly string[] | undefined): readonly string[] {
  return collect(text, before);
}

/** A folder, unless it is the id of a run. */
export function pathOrRun(text: string): string {
  return text;
}

/** A path that the program prints, relative to the workspace; or a file relative to the current folder. */
export function printedPath(text: string): string {
  return text;
}

/** `agent=file`, repeatable. */
export function agentPaths(text: string, before: readonly string[] | undefined): readonly string[] {
  return collect(text, before);
}

export interface Places {
  readonly folder: string;
  readonly workspace: string;
}

/** Translates the paths among the options and arguments of a command and of those above it. */
export function translatePaths(called: Command, places: Places): void {
  for (let command: Command | null = called; command !== null; command = command.parent) {
    for (const option of command.options) {
      const name = option.attributeName();
      const translated = translate(command.getOptionValue(name), option.parseArg, places);
      if (translated !== undefined) command.setOptionValue(name, translated);
    }
  }
  called.registeredArguments.forEach((argument, index) => {
    const translated = translate(called.processedArgs[index], argument.parseArg, places);
    if (translated !== undefined) called.processedArgs[index] = translated;
  });
}

/** Undefined if it is not a path. */
function translate(value: unknown, parser: unknown, places: Places): unknown {
  if (value === undefined || value === true || typeof parser !== 'function') return undefined;
  switch (parser) {
    case path:
      return here(String(value), places);
    case paths:
      return (value as readonly string[]).map((each) => here(each, places));
    case pathOrRun:
      return parseRunId(String(value)) === undefined ? here(String(value), places) : value;
    case printedPath:
      return fs.existsSync(join(places.folder, String(value))) ? here(String(value), places) : value;
    case agentPaths:
      return (value as readonly string[]).map((each) => {
        const at = each.indexOf('=') + 1;
        return at === 0 ? each : `${each.slice(0, at)}${here(each.slice(at), places)}`;
      });
    default:
      return undefined;
  }
}

/** Absolute paths, standard input and paths in the home folder stay as they are. */
function here(text: string, { folder, workspace }: Places): string {
  if (text === '' || text === '-' || /^(\/|~(\/|$))/.test(text)) return text;
  return relative(workspace, join(folder, text)) || '.';
}
