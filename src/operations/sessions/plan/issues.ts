/** Several issues as one request: what `gh issue list --json number,title,body,labels` prints. */
import { spawnSync } from 'node:child_process';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';

export function requestOfIssues(text: string): Result<string, Problem> {
  let given: unknown;
  try {
    given = parseJson(text);
  } catch {
    given = undefined;
  }
  const issues = Array.isArray(given) ? (given as readonly JsonValue[]).filter(isJsonObject) : [];
  if (issues.length === 0) return error({ type: 'no-issues' });
  const [first] = issues;
  const title = issues.length === 1 ? textOf(first ?? {}, 'title') : `${issues.length} issues`;
  return ok(`${title}\n\n${issues.map(issueText).join('\n\n')}\n`);
}

function issueText(issue: JsonObject): string {
  const { number } = issue;
  const name = typeof number === 'number' ? `#${number} ` : '';
  const labels = Array.isArray(issue['labels']) ? issue['labels'].flatMap(labelName) : [];
  const words = labels.length === 0 ? '' : `\nLabels: ${labels.join(', ')}\n`;
  return `## ${name}${textOf(issue, 'title')}\n${words}\n${textOf(issue, 'body')}`.trimEnd();
}

function labelName(label: JsonValue): readonly string[] {
  if (typeof label === 'string') return [label];
  return isJsonObject(label) && typeof label['name'] === 'string' ? [label['name']] : [];
}

function textOf(issue: JsonObject, name: string): string {
  const value = issue[name];
  return typeof value === 'string' ? value : '';
}

/** Asks the GitHub CLI for the open issues of the repository. */
export function listGitHubIssues(
  { workspace, environment }: Pick<Site, 'workspace' | 'environment'>,
  label: string,
): Result<string, Problem> {
  const argv = ['issue', 'list', '--state', 'open', '--json', 'number,title,body,labels'];
  const listed = spawnSync('gh', label === '' ? argv : [...argv, `--label=${label}`], {
    ...{ cwd: workspace, env: environment, encoding: 'utf8' as const, maxBuffer: 64 * 1024 * 1024 },
  });
  if (listed.status === 0) return ok(listed.stdout);
  const reason = listed.error === undefined ? listed.stderr.trim() : '`gh` was not found';
  return error({ type: 'issues-not-listed', reason });
}
