/** Where other programs keep credentials, relative to the home folder. An agent needs none of them to work on a repository. */
export const HIDDEN_IN_HOME = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.password-store',
    '.config/gcloud',
    '.config/gh',
  ],
  ...[
    '.config/op',
    '.config/doctl',
    '.config/hub',
    '.config/rclone',
    '.config/orchestrate',
    '.local/share/keyrings',
  ],
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', '.thunderbird'],
  ...['.netrc', '.git-credentials', '.config/git/credentials', '.npmrc', '.yarnrc.yml', '.pypirc', '.pgpass'],
  ...['.my.cnf', '.cargo/credentials', '.cargo/credentials.toml', '.terraform.d/credentials.tfrc.json'],
  ...[
    '.bash_history',
    '.zsh_history',
    '.local/share/fish/fish_history',
    '.node_repl_history',
    '.psql_history',
  ],
] as const;
