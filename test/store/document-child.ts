// Increments `count` of the document named on the command line, the given number of times.
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../../src/model/result.ts';
import { updateDocument } from '../../src/store/document.ts';

const [path = '', times = '0'] = process.argv.slice(2);
for (let i = 0; i < Number(times); i += 1) {
  const updated = await updateDocument(
    path,
    (value) => ok(value as JsonObject),
    (document) => ({ ...document, count: Number(document.count) + 1 }),
  );
  if (updated.type === 'error') throw new Error(JSON.stringify(updated.error));
}
