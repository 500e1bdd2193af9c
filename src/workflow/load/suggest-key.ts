import { shapeOf } from '../../store/yaml/shape/shape.ts';
import { defaults } from '../schema/defaults.ts';
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
  until: ['repeat'],
  bash_command: ['script'],
  shell_command: ['script'],
  recipe: ['script'],
  precondition: ['when'],
  preconditions: ['when'],
  skip_if: ['when'],
  retry_policy: ['retries'],
  repeat_policy: ['repeat'],
  continue_on: ['allow_failure'],
  trigger_rule: ['join'],
  parallelism: ['max_parallel'],
  max_concurrency: ['max_parallel'],
  max_active_steps: ['max_parallel'],
  pool: ['max_parallel'],
  fail_fast: ['on_item_failure', 'join'],
  prompt_file: ['input_file'],
  permission_mode: ['permissions'],
  handler_on: ['finally'],
  cleanup: ['finally'],
  ensure: ['finally'],
  title: ['name'],
};

/** Words of other tools for a step that take more than another key. */
const WRITTEN: { readonly [word: string]: string } = {
  model: 'write `provider_params: {model: …}`',
  on_failure: 'write `on: {failure: {goto: <step>}}`, or `allow_failure: true`',
  on_error: 'write `on: {failure: {goto: <step>}}`, or `allow_failure: true`',
  on_success: 'write `on: {success: {goto: <step>}}`',
  next: 'write `on: {success: {goto: <step>}}`',
  goto: 'write `on: {success: {goto: <step>}}`',
};

/** Words that are written in another place, or not at all. */
const ELSEWHERE: { readonly [word: string]: string } = {
  schedule: 'put it at the top level: `schedule: [{cron: …}]`',
  cron: 'write `schedule: [{cron: …}]` at the top level',
  runs_on: 'remove it: steps run on this machine',
};

/** The one key, or form, that an unknown one probably means: a word of another tool, or a key of a step at the top level. */
export function suggestKey(key: string, valid: ReadonlySet<string>): string | undefined {
  const word = key.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const meant = [word, ...(Object.hasOwn(MEANT, word) ? (MEANT[word] ?? []) : [])].find((each) =>
    valid.has(each),
  );
  const isTopLevel = valid.has('steps') && valid.has('strict_flow');
  const isStep = valid.has('allow_failure') && valid.has('command');
  if (isStep && Object.hasOwn(WRITTEN, word)) return WRITTEN[word];
  if ((isStep || isTopLevel) && Object.hasOwn(ELSEWHERE, word)) return ELSEWHERE[word];
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  if (!isTopLevel) return undefined;
  const own = [word, ...(Object.hasOwn(MEANT, word) ? (MEANT[word] ?? []) : [])].find(isOfSteps);
  if (own === undefined) return undefined;
  const called = own === word ? `\`${word}\` belongs` : `did you mean \`${own}\`? It belongs`;
  const also = valid.has('defaults') && isDefault(own) ? ', or under `defaults` for all of them' : '';
  return `${called} to a step: put it under an item of \`steps\`${also}`;
}

function isOfSteps(key: string): boolean {
  const shape = shapeOf(step);
  return shape.type === 'object' && shape.entries.has(key);
}

function isDefault(key: string): boolean {
  const shape = shapeOf(defaults);
  return shape.type === 'object' && shape.entries.has(key);
}
