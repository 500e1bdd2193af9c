import type * as v from 'valibot';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { resolveInside } from '../safe-path.ts';
import type { ReadingCode } from './codes.ts';
import type { FileKind } from './file-kind.ts';
import { parseYaml } from './parse-yaml.ts';
import type { Places } from './places.ts';
import { readSource } from './read-source.ts';
import { readShape } from './shape/read-shape.ts';
import { shapeOf } from './shape/shape.ts';

export interface ConfigFile<Source> {
  readonly source: Source;
  readonly places: Places;
  /** The rules add their findings. */
  readonly diagnostics: Diagnostic[];
}

export interface ConfigPlace {
  readonly folder: string;
  /** Relative to the folder. */
  readonly path: string;
  /** For messages. */
  readonly shown: string;
}

/** Reads one YAML file by its schema; values keep their positions. */
export function readConfigFile<Source>(
  place: ConfigPlace,
  kind: FileKind,
  schema: v.GenericSchema<unknown, Source>,
): Result<ConfigFile<Source>, readonly Diagnostic[]> {
  const path = resolveInside(place.folder, place.path);
  if (path.type === 'error') {
    const message = `\`${place.shown}\` cannot be read: ${describeFailure(path.error)}`;
    return error([
      { code: 'workflow/cannot-read' satisfies ReadingCode, severity: 'error', path: place.shown, message },
    ]);
  }
  const read = readSource(path.value, place.shown, kind);
  if (read.type === 'error') return error([read.error]);
  const { file } = read.value;
  const parsed = parseYaml(file, kind);
  if (parsed.type === 'error') return parsed;
  const { data, places, diagnostics } = readShape({ file, document: parsed.value, kind }, shapeOf(schema));
  return ok({ source: data as Source, places, diagnostics: [...diagnostics] });
}
