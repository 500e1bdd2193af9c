import type { Finding } from './findings.ts';
import { placeOf } from './findings.ts';

/** Workflow commands of GitHub Actions: each finding becomes an annotation of its line. */
export function renderGithub(findings: readonly Finding[]): string {
  return findings
    .flatMap(({ file, diagnostics }) =>
      diagnostics.map(({ code, severity, message, help, range, path }) => {
        const place = range === undefined ? undefined : placeOf(range);
        const properties = {
          file: range?.file.path ?? path ?? file,
          line: place?.line,
          col: place?.column,
          endLine: place?.end_line,
          endColumn: place?.end_column,
          title: code,
        };
        const given = Object.entries(properties).filter(([, value]) => value !== undefined);
        const list = given.map(([name, value]) => `${name}=${property(String(value))}`).join(',');
        return `::${severity} ${list}::${data(help === undefined ? message : `${message}\n${help}`)}\n`;
      }),
    )
    .join('');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
