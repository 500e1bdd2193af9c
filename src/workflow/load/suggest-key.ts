import { shapeOf } from '../../store/yaml/shape/shape.ts';
import { step } from '../schema/step.ts';

/** Words of other tools and, in order of preference, the keys they mean here. */
const MEANT: { readonly [word: string]: readonly string[] } = {
  run: ['script'],
  cmd: ['command'],
  commands: ['script'],
  bash: ['script'],
  exec: ['command'],
  if: ['when'],
  condition: ['when'],
  only: ['when'],
  rules: ['when'],
  timeout: ['timeout_sec', 'budget'],
  timeout_minutes: ['timeout_sec', 'budget'],
  timeout_seconds: ['timeout_sec'],
  retry: ['retries'],
  attempts: ['retries', 'max'],
  model: ['provider_params'],
  with: ['provider_params', 'context'],
  params: ['provider_params', 'inputs'],
  cwd: ['working_dir'],
  dir: ['working_dir'],
  workdir: ['working_dir'],
  working_directory: ['working_dir'],
  needs: ['graph'],
  depends: ['needs', 'graph'],
  after: ['needs', 'graph'],
  uses: ['call'],
  include: ['call'],
  env_file: ['env'],
  environment: ['env'],
  variables: ['context', 'env'],
  vars: ['context', 'env'],
  parameters: ['inputs'],
  continue_on_error: ['allow_failure'],
  ignore_errors: ['allow_failure'],
  strategy: ['for_each'],
  matrix: ['for_each'],
  foreach: ['for_each'],
  loop: ['for_each'],
  with_items: ['for_each', 'items'],
  concurrency: ['max_parallel'],
  image: ['command'],
  stage: ['graph'],
  stages: ['steps'],
  jobs: ['steps'],
  tasks: ['steps'],
  id: ['name'],
  input: ['input_file'],
  output: ['output_file'],
  outputs: ['values'],
  tools: ['allowed_tools'],
  while: ['repeat'],
};

/** The one key that an unknown one probably means: a word of another tool, or a key of a step at the top level. */
export function suggestKey(key: string, valid: ReadonlySet<string>): string | undefined {
  const word = key.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const meant = [word, ...(Object.hasOwn(MEANT, word) ? (MEANT[word] ?? []) : [])].find((each) =>
    valid.has(each),
  );
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  const isTopLevel = valid.has('steps') && valid.has('strict_flow');
  const shape = shapeOf(step);
  if (!isTopLevel || shape.type !== 'object' || !shape.entries.has(word)) return undefined;
  return `\`${word}\` belongs to a step: put it under an item of \`steps\``;
}
