/** The files of a new version: its number, and its heading in the changelog. */

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** `texts` has `package.json`, `package-lock.json` and `CHANGELOG.md`; so has the result. Throws if the version or the changelog cannot be used. */
export function withVersion(texts, version, date) {
  const manifest = JSON.parse(texts['package.json']);
  const lock = JSON.parse(texts['package-lock.json']);
  if (!VERSION.test(version)) throw new Error(`\`${version}\` is not a version such as 1.2.3`);
  if (!isNewer(version, manifest.version))
    throw new Error(`${version} is not newer than ${manifest.version}`);
  const root = { ...lock.packages[''], version };
  return {
    'package.json': json({ ...manifest, version }),
    'package-lock.json': json({ ...lock, version, packages: { ...lock.packages, '': root } }),
    'CHANGELOG.md': withHeading(texts['CHANGELOG.md'], version, date),
  };
}

function isNewer(version, than) {
  const parts = (text) => VERSION.exec(text).slice(1).map(Number);
  const [a, b] = [parts(version), parts(than)];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && a[at] > b[at];
}

/** What is unreleased becomes the section of this version. */
function withHeading(changelog, version, date) {
  const heading = '## [Unreleased]\n';
  const [, entries = ''] = changelog.split(heading);
  if (!/^- /m.test(entries.split('\n## ')[0])) throw new Error('CHANGELOG.md has nothing under Unreleased');
  return changelog.replace(heading, `${heading}\n## ${version} - ${date.toISOString().slice(0, 10)}\n`);
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
