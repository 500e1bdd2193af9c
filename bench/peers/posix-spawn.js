import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { programVersion } from './found.js';

const SOURCE = `
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
extern char **environ;
int main(int argc, char **argv) {
  int left = atoi(argv[1]), width = atoi(argv[2]), running = 0;
  char *call[] = {"true", NULL};
  while (left > 0 || running > 0) {
    while (left > 0 && running < width) {
      pid_t pid;
      if (posix_spawnp(&pid, "true", NULL, NULL, call, environ) != 0) return 1;
      left -= 1, running += 1;
    }
    if (wait(NULL) < 0) return 1;
    running -= 1;
  }
  return 0;
}
`;

export const posixSpawn = {
  name: 'a C program with posix_spawn',
  is: 'nothing; the minimum cost of the system',
  find: () => programVersion('cc', '-dumpversion'),
  prepare: ({ folder, count, shape, width }) => {
    const source = path.join(folder, 'spawn.c');
    fs.writeFileSync(source, SOURCE);
    const binary = path.join(folder, 'spawn');
    const { status } = spawnSync('cc', ['-O2', '-o', binary, source]);
    if (status !== 0) return undefined;
    return { argv: [binary, String(count), String(shape === 'chain' ? 1 : width)] };
  },
};
