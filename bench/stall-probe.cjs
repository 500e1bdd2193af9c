// Loaded into a server with --require: the most its main thread has worked between two turns of a timer, in ms, written at its end.
const fs = require('node:fs');

const busy = () => Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
let last;
let longest = 0;
setInterval(() => {
  const now = busy();
  // The start of the program is no stall of a server.
  if (last !== undefined) longest = Math.max(longest, now - last);
  last = now;
}, 1).unref();
process.once('exit', () => fs.writeFileSync(process.env.STALL_FILE, String(longest)));
