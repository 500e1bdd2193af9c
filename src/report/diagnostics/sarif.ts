import type { Diagnostic } from '../../model/diagnostic.ts';
import type { SourceRange } from '../../model/source.ts';
import { type Finding, placeOf } from './findings.ts';

/** SARIF 2.1.0, as code scanning of GitHub and other services read it. */
export function renderSarif(findings: readonly Finding[], version: string): string {
  const rules = [
    ...new Set(findings.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))),
  ].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'orchestrate', version, rules: rules.map((id) => ({ id })) } },
        columnKind: 'unicodeCodePoints',
        results: findings.flatMap(({ file, diagnostics }) =>
          diagnostics.map((diagnostic) => resultOf(diagnostic, file, rules)),
        ),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf(diagnostic: Diagnostic, file: string, rules: readonly string[]): object {
  const { code, severity, message, help, range, path, related = [] } = diagnostic;
  return {
    ruleId: code,
    ruleIndex: rules.indexOf(code),
    level: severity,
    message: { text: help === undefined ? message : `${message}\n${help}` },
    locations: [{ physicalLocation: range === undefined ? artifact(path ?? file) : physical(range) }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((each, id) => ({
            id,
            message: { text: each.message },
            physicalLocation: physical(each.range),
          })),
        }),
  };
}

function physical(range: SourceRange): object {
  const { line, column, end_line, end_column } = placeOf(range);
  return {
    ...artifact(range.file.path),
    region: { startLine: line, startColumn: column, endLine: end_line, endColumn: end_column },
  };
}

/** A path is relative to the workspace; as a URI, each of its parts is encoded. */
function artifact(path: string): object {
  const uri = path
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return { artifactLocation: { uri: path.startsWith('/') ? `file://${uri}` : uri } };
}
