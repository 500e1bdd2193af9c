import type { JsonObject } from '../../model/json.ts';
import type { SourceRange } from '../../model/source.ts';
import { plainPath } from './plain-path.ts';
import type { WorkflowFile } from './workflow-file.ts';

/** A step that calls a workflow in code. */
export interface ProgramUse {
  /** Workspace-relative. */
  readonly file: string;
  readonly step: string;
  readonly input: JsonObject;
  /** Where the file is named. */
  readonly range: SourceRange;
  /** Where a value of the input stands, or where it is missing. */
  rangeOf(name: string): SourceRange;
}

export function programsUsed({ index, places }: WorkflowFile): readonly ProgramUse[] {
  return index.places.flatMap(({ step: { name, call } }) => {
    if (call?.program === undefined) return [];
    const { program, input = {} } = call;
    return [
      {
        ...{ file: plainPath(program), step: name, input },
        range: places.valueRange(call, 'program'),
        rangeOf: (key) =>
          Object.hasOwn(input, key) ? places.valueRange(input, key) : places.keyRange(call, 'input'),
      },
    ];
  });
}
