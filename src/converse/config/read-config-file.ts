import { join } from 'node:path';
import type * as v from 'valibot';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { parseYaml } from '../../store/yaml/parse-yaml.ts';
import type { Places } from '../../store/yaml/places.ts';
import { readSource } from '../../store/yaml/read-source.ts';
import { readShape } from '../../store/yaml/shape/read-shape.ts';
import { shapeOf } from '../../store/yaml/shape/shape.ts';

export interface ConfigFile<Source> {
  readonly source: Source;
  readonly places: Places;
  /** Grows with what the rules find. */
  readonly diagnostics: Diagnostic[];
}

export interface ConfigPlace {
  readonly folder: string;
  /** Relative to it. */
  readonly path: string;
  /** As messages name it. */
  readonly shown: string;
}

/** One YAML file by its schema; its values keep their places. */
export function readConfigFile<Source>(
  place: ConfigPlace,
  kind: FileKind,
  schema: v.GenericSchema<unknown, Source>,
): Result<ConfigFile<Source>, readonly Diagnostic[]> {
  const read = readSource(join(place.folder, place.path), place.shown, kind);
  if (read.type === 'error') return error([read.error]);
  const { file } = read.value;
  const parsed = parseYaml(file, kind);
  if (parsed.type === 'error') return parsed;
  const { data, places, diagnostics } = readShape({ file, document: parsed.value, kind }, shapeOf(schema));
  return ok({ source: data as Source, places, diagnostics: [...diagnostics] });
}
