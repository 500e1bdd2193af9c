/** Programs that start another program by a subcommand, such as `docker run`. */
import { LAUNCHERS, type Launcher } from './launchers.ts';
import { table } from './table.ts';

export interface Subcommands {
  /** Options before the subcommand that take a value. */
  readonly shortValues?: string;
  readonly longValues?: readonly string[];
  /** By the words of the subcommand. The others are judged by the other tables. */
  readonly launchers: Readonly<Record<string, Launcher>>;
}

const RUN: Launcher = {
  shortValues: 'acehlmpuvw',
  longValues: [
    ...[
      'add-host',
      'annotation',
      'attach',
      'blkio-weight',
      'cap-add',
      'cap-drop',
      'cgroup-parent',
      'cgroupns',
    ],
    ...[
      'cidfile',
      'cpu-period',
      'cpu-quota',
      'cpu-shares',
      'cpus',
      'cpuset-cpus',
      'cpuset-mems',
      'device',
      'dns',
    ],
    ...[
      'dns-option',
      'dns-search',
      'domainname',
      'env-file',
      'expose',
      'gpus',
      'group-add',
      'health-interval',
    ],
    ...[
      'health-retries',
      'health-timeout',
      'hostname',
      'ip',
      'ip6',
      'ipc',
      'isolation',
      'label',
      'label-file',
    ],
    ...[
      'link',
      'log-driver',
      'log-opt',
      'mac-address',
      'memory',
      'memory-swap',
      'mount',
      'name',
      'net',
      'network',
    ],
    ...[
      'network-alias',
      'oom-score-adj',
      'pid',
      'pids-limit',
      'platform',
      'publish',
      'pull',
      'restart',
      'secret',
    ],
    ...[
      'security-opt',
      'shm-size',
      'stop-signal',
      'stop-timeout',
      'storage-opt',
      'sysctl',
      'tmpfs',
      'ulimit',
      'user',
    ],
    ...['userns', 'uts', 'volume', 'volume-driver', 'volumes-from', 'workdir', 'pod', 'arch', 'os', 'index'],
  ],
  flags: [
    ...[
      'd',
      'i',
      't',
      'P',
      'q',
      'T',
      'rm',
      'interactive',
      'tty',
      'detach',
      'privileged',
      'read-only',
      'init',
      'quiet',
    ],
    ...[
      'publish-all',
      'sig-proxy',
      'no-healthcheck',
      'oom-kill-disable',
      'replace',
      'rmi',
      'systemd',
      'env-host',
    ],
    ...[
      'no-deps',
      'no-TTY',
      'service-ports',
      'use-aliases',
      'build',
      'remove-orphans',
      'disable-content-trust',
    ],
  ],
  environment: ['e', 'env'],
  shellText: ['health-cmd'],
  evaluates: ['runtime'],
  operands: 1,
  choosesByOperand: true,
  entry: 'entrypoint',
};

/** A container has a name, and runs what it runs. */
const EXEC: Launcher = {
  shortValues: 'euw',
  longValues: ['detach-keys', 'env-file', 'user', 'workdir', 'index'],
  flags: ['d', 'i', 't', 'T', 'l', 'detach', 'interactive', 'tty', 'privileged', 'latest', 'no-TTY'],
  environment: ['e', 'env'],
  operands: 1,
};

const CONTAINERS: Subcommands = {
  shortValues: 'Hclfp',
  longValues: [
    ...[
      'host',
      'context',
      'config',
      'log-level',
      'tlscacert',
      'tlscert',
      'tlskey',
      'connection',
      'url',
      'identity',
    ],
    ...[
      'root',
      'runroot',
      'namespace',
      'address',
      'file',
      'project-name',
      'project-directory',
      'profile',
      'env-file',
    ],
  ],
  launchers: {
    run: RUN,
    create: RUN,
    exec: EXEC,
    'container run': RUN,
    'container create': RUN,
    'container exec': EXEC,
    'compose run': { ...RUN, choosesByOperand: false },
    'compose exec': EXEC,
  },
};

const AFTER_DASHES: Launcher = { isSeparated: true };

const PODS: Launcher = {
  isSeparated: true,
  shortValues: 'cnflps',
  longValues: [
    'container',
    'namespace',
    'context',
    'filename',
    'labels',
    'cluster',
    'user',
    'port',
    'restart',
    'target',
  ],
  evaluates: ['kubeconfig'],
  environment: ['env'],
  programWords: ['--image'],
};

const PACKAGE_RUNNER: Launcher = LAUNCHERS.get('npx') ?? {};

export const SUBCOMMANDS: ReadonlyMap<string, Subcommands> = table<Subcommands>({
  'docker podman nerdctl': CONTAINERS,
  'docker-compose podman-compose': {
    ...CONTAINERS,
    launchers: { run: { ...RUN, choosesByOperand: false }, exec: EXEC },
  },
  'kubectl oc': {
    shortValues: 'ns',
    longValues: ['namespace', 'context', 'cluster', 'user', 'server', 'token', 'request-timeout'],
    launchers: { exec: PODS, run: PODS, debug: PODS, rsh: PODS, attach: PODS },
  },
  'crictl lxc incus multipass': {
    launchers: { exec: AFTER_DASHES, shell: AFTER_DASHES, launch: AFTER_DASHES },
  },
  ip: {
    shortValues: 'n',
    launchers: { 'netns exec': { operands: 1 }, 'vrf exec': { operands: 1 } },
  },
  npm: {
    launchers: {
      exec: PACKAGE_RUNNER,
      x: PACKAGE_RUNNER,
      explore: { isSeparated: true, joinsForShell: true },
    },
  },
  'pnpm yarn': { launchers: { exec: PACKAGE_RUNNER, dlx: PACKAGE_RUNNER, node: PACKAGE_RUNNER } },
  bun: { launchers: { x: PACKAGE_RUNNER } },
  pipx: { launchers: { run: PACKAGE_RUNNER } },
  uv: { launchers: { run: PACKAGE_RUNNER, x: PACKAGE_RUNNER } },
  'poetry pipenv pdm hatch bundle': { launchers: { run: PACKAGE_RUNNER, exec: PACKAGE_RUNNER } },
  gh: {
    launchers: {
      'extension exec': {},
      'ext exec': {},
      'codespace ssh': { isSeparated: true, joinsForShell: true },
    },
  },
  coverage: {
    launchers: {
      run: { longValues: ['source', 'include', 'omit', 'data-file', 'context'], evaluates: ['m', 'rcfile'] },
    },
  },
});

/** Programs that start others in a container or on a machine, of which no more is known than that the program comes after `--`. */
export const START_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['lxc-attach', 'machinectl', 'systemd-nspawn', 'toolbox', 'distrobox', 'wsl', 'flatpak', 'fakechroot'],
  ...['limactl', 'gcloud', 'flyctl', 'fly', 'heroku'],
]);
