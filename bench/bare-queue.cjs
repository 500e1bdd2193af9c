/**
 * The smallest program that lets a DBOS queue start commands: `node bare-queue.cjs <steps> <at once>` prints how long they took, in ms.
 * `node bare-queue.cjs idle` listens to two queues until its input ends.
 */
const { execFile } = require('node:child_process');
const { DBOS } = require('@dbos-inc/dbos-sdk');

const POLL_MS = 25;
const quiet = () => {};

async function main(words) {
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
    minPollingIntervalMs: isIdle ? 1000 : POLL_MS,
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
      await handle.getResult();
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
