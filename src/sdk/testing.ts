/** What `import … from 'orchestrate-run/testing'` gives. */
import type { Workflow } from '../code/written/workflow.ts';
import { loadPart, type Surroundings } from './embed.ts';
import type { TestedWorkflow, TestOptions } from './testing-types.ts';

export type * from './testing-types.ts';

interface TestingPart {
  testWorkflow(
    workflow: Workflow,
    options: TestOptions<unknown>,
    around: Surroundings,
  ): Promise<TestedWorkflow<never>>;
}

/** Runs a workflow in a temporary folder. It never rejects because the workflow fails. */
export async function testWorkflow<Input, Output>(
  workflow: Workflow<Input, Output>,
  options: TestOptions<NoInfer<Input>>,
): Promise<TestedWorkflow<Output>> {
  const { part, around } = loadPart<TestingPart>(import.meta.url, 'testing.cjs');
  return part.testWorkflow(workflow as Workflow, options, around);
}
