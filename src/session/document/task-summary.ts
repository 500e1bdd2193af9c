import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { object, objects, oneOf, text } from './fields.ts';

/** The agent's answer, with its files checked against version control: the source of the summary's Markdown. */
export interface TaskSummary {
  /** Written by hand or by another tool; it may be all there is. */
  readonly text?: string;
  readonly approach: string;
  readonly files: readonly {
    readonly path: string;
    readonly description: string;
    readonly evidence: FileEvidence;
  }[];
  readonly keyDecisions: readonly { readonly decision: string; readonly rationale: string }[];
  readonly sharedContext: JsonObject;
  readonly integrationPoints: readonly { readonly name: string; readonly usage: string }[];
  readonly verification: readonly {
    readonly check: string;
    readonly method: string;
    readonly proven: boolean;
  }[];
  readonly notes: string;
  readonly commit?: string;
}

/** `changed`: version control confirms it. `unchanged`: it does not. `unmentioned`: changed, but not reported by the agent. */
export type FileEvidence = 'changed' | 'unchanged' | 'unmentioned' | 'unknown';

export function readSummary(source: JsonValue | undefined): TaskSummary | undefined {
  if (!isJsonObject(source)) return undefined;
  const { commit } = source;
  const words = text(source['text']);
  return {
    ...(words === '' ? {} : { text: words }),
    approach: text(source['approach']),
    files: objects(source['files_modified']).map((file) => ({
      path: text(file['path']),
      description: text(file['description']),
      evidence:
        oneOf(['changed', 'unchanged', 'unmentioned', 'unknown'] as const, file['evidence']) ?? 'unknown',
    })),
    keyDecisions: objects(source['key_decisions']).map((each) => ({
      decision: text(each['decision']),
      rationale: text(each['rationale']),
    })),
    sharedContext: object(source['shared_context']),
    integrationPoints: objects(source['integration_points']).map((each) => ({
      name: text(each['name']),
      usage: text(each['usage']),
    })),
    verification: objects(source['verification']).map((each) => ({
      check: text(each['check']),
      method: text(each['method']),
      proven: each['proven'] === true,
    })),
    notes: text(source['notes']),
    ...(typeof commit === 'string' ? { commit } : {}),
  };
}

/** The summary is only the words of a person or another tool. */
export function isAdopted(summary: TaskSummary): boolean {
  return summary.text !== undefined && summary.approach === '' && summary.files.length === 0;
}
