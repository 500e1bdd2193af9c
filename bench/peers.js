/** The same spawns of `true` in other tools, as a chain and as a fan-out. These figures have no limits. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { PEERS } from './peers/index.js';
import { inFolder } from './workspace.js';

const WIDTH = 8;
/** Small counts vary more and cost less. */
const SIZES = [
  { count: 100, rounds: 7 },
  { count: 1000, rounds: 3 },
  { count: 10_000, rounds: 1 },
];
/** A tool that would need longer than this for the next size is left out. */
const PATIENCE_MS = 60_000;

export async function peers({ quick, say }) {
  const found = PEERS.map((peer) => ({ ...peer, version: peer.find() }));
  const rows = [];
  for (const shape of ['chain', 'fan-out']) {
    const slow = new Set();
    for (const { count, rounds } of quick ? SIZES.slice(0, 1) : SIZES) {
      const running = found.filter(({ name, version }) => version !== undefined && !slow.has(name));
      const times = await inFolder((folder) => race(running, { folder, shape, count, rounds, say }));
      const bare = times[PEERS[0].name];
      for (const [name, ms] of Object.entries(times)) {
        if (!(ms * 10 <= PATIENCE_MS)) slow.add(name);
        if (Number.isNaN(ms)) continue;
        rows.push({
          ...row(`${shape} of ${count} in ${name}, x a bare Node loop`, ms / bare),
          peer: { name, shape, count, msPerStep: ms / count },
        });
      }
    }
  }
  return rows;
}

export function knownPeers() {
  return PEERS.map(({ name, is, find }) => ({ name, is, version: find() }));
}

async function race(peers, { folder, shape, count, rounds, say }) {
  const contestants = {};
  for (const [index, peer] of peers.entries()) {
    const own = path.join(folder, String(index));
    fs.mkdirSync(own);
    const call = peer.prepare({ folder: own, count, shape, width: WIDTH });
    if (call === undefined) continue;
    contestants[peer.name] = async () => {
      call.reset?.();
      try {
        const { ms } = await timed(call.argv, { cwd: own, env: call.env, isQuiet: true });
        say(`${shape} of ${count} in ${peer.name}: ${(ms / count).toFixed(2)} ms a step`);
        return ms;
      } catch (error) {
        // A tool that cannot do so many must not lose the results of the others.
        console.error(`${shape} of ${count} in ${peer.name}: ${error.message.slice(0, 200)}`);
        return Number.NaN;
      }
    };
  }
  return (await interleaved(contestants, rounds, { patienceMs: PATIENCE_MS / 3 })).medians();
}
