/**
 * The smallest program that lets a DBOS queue start commands: `node bare-queue.cjs <steps> <at once>` prints how long they took, in ms.
 * `node bare-queue.cjs idle <poll ms>` listens to three queues until its input ends.
 */
const { execFile } = require('node:child_process');
const { DBOS } = require('@dbos-inc/dbos-sdk');

const POLL_MS = 25;
const quiet = () => {};

async function main(words) {
  // DBOS uses the driver's pool in a way that the driver warns about.
  process.noDeprecation = true;
  DBOS.setConfig({
    name: 'bare',
    systemDatabaseUrl: process.env.ORCHESTRATE_DATABASE_URL,
    logger: { info: quiet, debug: quiet, warn: quiet, error: console.error },
  });
  const call = DBOS.registerWorkflow(
    () =>
      DBOS.runStep(() => new Promise((resolve) => execFile('true', (problem) => resolve(problem === null)))),
    { name: 'call' },
  );
  await DBOS.launch();
  const isIdle = words[0] === 'idle';
  const limits = {
    workerConcurrency: 8,
    minPollingIntervalMs: isIdle ? Number(words[1]) : POLL_MS,
    onConflict: 'always_update',
  };
  for (const name of isIdle ? ['one', 'two', 'three'] : ['one']) await DBOS.registerQueue(name, limits);
  if (isIdle) {
    console.log('listening');
    await new Promise((resolve) => process.stdin.on('end', resolve).resume());
  } else console.log(await run(call, Number(words[0]), Number(words[1])));
  await DBOS.shutdown();
}

async function run(call, steps, atOnce) {
  const start = process.hrtime.bigint();
  let next = 0;
  const lane = async () => {
    while (next < steps) {
      next += 1;
      const handle = await DBOS.startWorkflow(call, { queueName: 'one' })();
      await handle.getResult({ pollingIntervalMs: POLL_MS });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return Number(process.hrtime.bigint() - start) / 1e6;
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (problem) => {
    console.error(problem);
    process.exit(1);
  },
);
