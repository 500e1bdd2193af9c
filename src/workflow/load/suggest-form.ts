/** Keys that other tools give another form, and how they are written here. */
const FORMS: { readonly [key: string]: string } = {
  for_each: '{items: […], steps: […]}',
  parallel: '{steps: […]}',
  graph: '{steps: […]}',
  repeat: '{until: {…}, steps: […]}',
  approve: '{message: …}',
  call: '{workflow: <file>}',
  wait_for: '{glob: …}',
  break: '{when: {…}}',
  end: '{status: completed}',
  when: '{equals: {left: …, right: …}}',
  until: '{equals: {left: …, right: …}}',
  on: '{failure: {goto: <step>}}',
  success: '{goto: <step>}',
  failure: '{goto: <step>}',
  always: '{goto: <step>}',
  expect: '{files: […]}',
  cache: '{inputs: […]}',
  env: '{NAME: value}',
  inputs: '{<name>: {type: string}}',
  matrix: '{<name>: […]}',
  schedule: '[{cron: …}]',
  values: '{<name>: {file: …}}',
};

/** For a value of the wrong type: how the key is written. */
export function suggestForm(key: string): string | undefined {
  if (key === 'depends_on')
    return 'it names files: `depends_on: {required: […]}`; the steps that a step waits for are its `needs` in a `graph`';
  return Object.hasOwn(FORMS, key) ? `write \`${key}: ${FORMS[key]}\`` : undefined;
}
