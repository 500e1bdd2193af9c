import { namesIn } from './names-in.ts';
import { isTemporary } from './temporary-name.ts';

/** The files a run creates in its folder (`layout.ts`) and below. */
const OWN: readonly RegExp[] = [
  /^(?:journal\.jsonl|state\.json|lock|moves\.jsonl|cancel\.json|processed\.zip|worktrees|program)$/,
  /^(?:lock\.takeover\.|journal\.jsonl\.damaged-|index\.)/,
  /\.kept-\d+$/,
];
const BELOW: Readonly<Record<string, RegExp>> = {
  logs: /^orchestrator\.log$|^detached(?:\.\d+)?\.log$|\.(?:stdout|stderr)$|^\.spool-/,
  prompts: /^\d+-.*\.txt$/,
  responses: /\.json$/,
  answers: /\.json(?:\.kept-\d+)?$/,
  cassettes: /\.jsonl$/,
  merges: /\.json$/,
  diffs: /\.patch$/,
};

/** Foreign names in the folder of a run. */
export function strangersIn(directory: string): readonly string[] {
  return namesIn(directory).flatMap((name) => {
    const below = Object.hasOwn(BELOW, name) ? BELOW[name] : undefined;
    if (below === undefined) return isOneOf(OWN, name) ? [] : [name];
    return namesIn(`${directory}/${name}`)
      .filter((each) => !isOneOf([below], each))
      .map((each) => `${name}/${each}`);
  });
}

function isOneOf(own: readonly RegExp[], name: string): boolean {
  return isTemporary(name) || own.some((each) => each.test(name));
}
