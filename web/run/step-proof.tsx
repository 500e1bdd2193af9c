/** What was checked after a step, and what came of it. */
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { Icon } from '../icons.tsx';

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why the check failed; empty if it passed. */
export function reasonsOf(proof: JsonValue): readonly string[] {
  const reasons = isObject(proof) ? proof['reasons'] : undefined;
  return Array.isArray(reasons) ? reasons.map(String) : [];
}

export function ProofLines({ proof }: { readonly proof: JsonValue }) {
  const reasons = reasonsOf(proof);
  const files = isObject(proof) && Array.isArray(proof['files']) ? proof['files'].map(String) : [];
  const json = isObject(proof) ? proof['json'] : undefined;
  if (reasons.length > 0)
    return (
      <>
        {reasons.map((reason) => (
          <div class="proof bad" key={reason}>
            <Icon name="failed" />
            {reason.replaceAll('`', '')}
          </div>
        ))}
      </>
    );
  return (
    <>
      {files.map((file) => (
        <div class="proof" key={file}>
          <Icon name="completed" />
          <span class="mono">{file}</span> is there
        </div>
      ))}
      {json === undefined ? null : (
        <div class="proof">
          <Icon name="completed" />
          The answer fits its JSON Schema
        </div>
      )}
      {files.length === 0 && json === undefined ? (
        <div class="proof">
          <Icon name="completed" />
          All checks passed
        </div>
      ) : null}
    </>
  );
}

export function StepProof({ proof }: { readonly proof: JsonValue }) {
  const json = isObject(proof) ? proof['json'] : undefined;
  return (
    <div class="body">
      <ProofLines proof={proof} />
      {json === undefined ? null : (
        <section>
          <b>What was checked</b>
          <pre>{JSON.stringify(json, null, 2).slice(0, 40_000)}</pre>
        </section>
      )}
    </div>
  );
}
