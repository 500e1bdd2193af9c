/** What SchemaStore asks of a schema and of its entries in the catalog. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const read = (name: string) => JSON.parse(fs.readFileSync(path.join(ROOT, name), 'utf8'));
const { name, files } = read('package.json');

it.each(['workflow', 'config', 'engine'])(
  'the schema %s is draft-07, and its $id is its address in the package',
  (kind) => {
    expect(read(`schema/${kind}.schema.json`)).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: `https://unpkg.com/${name}/schema/${kind}.schema.json`,
    });
    expect(files).toContain('schema');
  },
);

it('the catalog finds the schema of *.orchestrate.yaml', () => {
  const entries = read('schema/schemastore.json');
  expect(entries.map(({ url }: { url: string }) => url)).toEqual(
    ['workflow', 'config', 'engine'].map((kind) => read(`schema/${kind}.schema.json`).$id),
  );
  expect(entries[0].fileMatch).toEqual(['*.orchestrate.yaml', '*.orchestrate.yml']);
});
