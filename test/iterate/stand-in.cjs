/**
 * Stands in for Claude Code on PATH: reads its prompt, does what the test's script says for this call, and prints the CLI's own stream.
 * Every call is kept: its arguments, its prompt, its pid.
 */
const fs = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, 'calls');
if (process.argv.includes('--version')) {
  process.stdout.write('9.9.9 (Stand-in)\n');
  process.exit(0);
}
const prompt = fs.readFileSync(0, 'utf8');
const script = JSON.parse(fs.readFileSync(path.join(folder, 'script.json'), 'utf8'));
const kind = /^Verify whether/.test(prompt)
  ? 'verifications'
  : /^Assess whether/.test(prompt)
    ? 'validations'
    : 'calls';
const number = fs.readdirSync(folder).filter((name) => name.startsWith(`${kind}-`)).length + 1;
const record = path.join(folder, `${kind}-${number}.json`);
fs.writeFileSync(
  path.join(folder, `.${kind}-${number}.json`),
  JSON.stringify({ argv: process.argv.slice(2), prompt, pid: process.pid, cwd: process.cwd() }),
);
fs.renameSync(path.join(folder, `.${kind}-${number}.json`), record);
const list = script[kind] ?? [{}];
const turn = list[Math.min(number, list.length) - 1];
const print = (event) =>
  fs.writeSync(1, `${JSON.stringify({ session_id: '11111111-1111-4111-8111-111111111111', ...event })}\n`);

async function main() {
  if (turn.stubborn === true)
    process.on('SIGTERM', () => fs.writeFileSync(path.join(folder, 'asked-to-end'), ''));
  print({ type: 'system', subtype: 'init', model: 'stand-in', claude_code_version: '9.9.9' });
  for (const [name, text] of Object.entries(turn.files ?? {})) {
    fs.mkdirSync(path.dirname(path.resolve(name)), { recursive: true });
    const temporary = `${path.resolve(name)}.new`;
    fs.writeFileSync(temporary, typeof text === 'string' ? text : JSON.stringify(text));
    fs.renameSync(temporary, path.resolve(name));
  }
  for (const event of turn.events ?? []) print(event);
  if (turn.waitFor !== undefined) {
    while (!fs.existsSync(path.join(folder, turn.waitFor)))
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  if (turn.hang === true) {
    require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' });
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
  const text = turn.text ?? `call ${number}`;
  if (turn.crash !== undefined) {
    process.stderr.write(`${turn.crash}\n`);
    process.exit(turn.exitCode ?? 3);
  }
  if (turn.error !== undefined) {
    print({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: text,
      num_turns: 1,
      total_cost_usd: 0,
      ...turn.error,
    });
    process.exit(1);
  }
  print({ type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } });
  print({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    num_turns: 1,
    total_cost_usd: turn.cost ?? 0.01,
    usage: { input_tokens: 10, output_tokens: 5 },
  });
  if (turn.lingers === true) await new Promise((resolve) => setTimeout(resolve, 600_000));
}
main();
