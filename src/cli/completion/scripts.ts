/**
 * The scripts that shells source. They ask `orchestrate complete` what may come next, so that they never have to be renewed. It prints `words` or
 * `files`, then one candidate per line, with its description after a tab.
 */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# bash completion of orchestrate: eval "$(orchestrate completion bash)"
_orchestrate() {
  local program=\${COMP_WORDS[0]} line kind
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  program=\${program/#\\~/$HOME}
  # The same commands under another name.
  if [[ \${program##*/} == claude-iterate ]]; then
    program=orchestrate
    words=(iterate "\${words[@]}")
  fi
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done
  } < <("$program" complete -- "\${words[@]}" 2>/dev/null)
  if [[ $kind == files ]] && type compopt >/dev/null 2>&1; then
    compopt -o filenames
    COMPREPLY=("\${COMPREPLY[@]%/}")
  fi
}
complete -F _orchestrate orchestrate orchestrate-run claude-iterate
`;

const ZSH = `#compdef orchestrate orchestrate-run claude-iterate
# zsh completion of orchestrate: eval "$(orchestrate completion zsh)" after compinit, or as a file _orchestrate in a folder of $fpath
_orchestrate() {
  local program=\${(Q)words[1]/#\\~/$HOME} kind line value
  local -a typed=("\${(@Q)words[2,CURRENT]}") lines values shown folders
  if [[ \${program:t} == claude-iterate ]]; then
    program=orchestrate
    typed=(iterate "\${typed[@]}")
  fi
  lines=("\${(@f)$("$program" complete -- "\${typed[@]}" 2>/dev/null)}")
  kind=$lines[1]
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\\t'*}
    if [[ $value == */ ]]; then
      folders+=("$value")
    else
      values+=("$value")
      shown+=("\${value}\${\${line#"$value"}:+  -- \${line#*$'\\t'}}")
    fi
  done
  if [[ $kind == files ]]; then
    compadd -S '' -- "\${folders[@]}"
    compadd -- "\${values[@]}"
  else
    compadd -l -d shown -- "\${values[@]}"
  fi
}
if [[ $funcstack[1] == _orchestrate ]]; then
  _orchestrate "$@"
else
  compdef _orchestrate orchestrate orchestrate-run claude-iterate
fi
`;

const FISH = `# fish completion of orchestrate: orchestrate completion fish > ~/.config/fish/completions/orchestrate.fish
function __orchestrate_complete
    set -l typed (commandline -opc) (commandline -ct)
    set -l program $typed[1]
    set -e typed[1]
    if test (basename -- $program) = claude-iterate
        set program orchestrate
        set -p typed iterate
    end
    command $program complete -- $typed 2>/dev/null | tail -n +2
end
complete -c orchestrate -f -a '(__orchestrate_complete)'
complete -c orchestrate-run -f -a '(__orchestrate_complete)'
complete -c claude-iterate -f -a '(__orchestrate_complete)'
`;

export function completionScript(shell: Shell): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}
