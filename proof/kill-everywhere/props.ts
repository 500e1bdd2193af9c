/**
 * The props of plays: commands and an agent that count themselves. Each call writes one line at its start and one at its
 * end, with the key of its step and its pid, to an append-only file. A call that finds another one of its step alive reports it.
 */

const BEGIN = `key=$ORCHESTRATE_STEP
calls="$HOME/.proof/calls"
while read -r word other pid; do
  if [ "$word $other" = "begin $key" ] && [ "/proc/$pid/cwd" -ef . ]; then
    tr '\\0' '\\n' < "/proc/$pid/environ" 2> /dev/null | grep -qx "ORCHESTRATE_STEP=$key" && printf 'overlap %s %s\\n' "$key" "$pid" >> "$calls"
  fi
done < "$calls"
printf 'begin %s %s\\n' "$key" "$$" >> "$calls"
`;

/** `was_tried`: whether an earlier attempt of this step is recorded. A play must take the same path however often it is interrupted. */
const TRIED = `was_tried() {
  grep -q '"type":"attempt-ended",.*"key":"'"$ORCHESTRATE_STEP"'"' "$HOME/.orchestrate/runs/$ORCHESTRATE_RUN_ID/journal.jsonl"
}
`;

const END = `printf 'end %s %s\\n' "$key" "$$" >> "$calls"
`;

/** `bash .proof/note.sh <word>`: prints its key and the word. */
const NOTE = `. "$HOME/.proof/begin.sh"
echo "$key $1"
. "$HOME/.proof/end.sh"
`;

/**
 * A stand-in for Claude Code, as far as a play needs it. What it does for a step is in `.proof/answers/<key with dots>.sh`, or `any.sh`: it may
 * set `text`, `structured` (JSON) and `failure` (members of a result that is an error).
 */
const CLAUDE = `#!/bin/bash
if [ "$1" = --version ]; then echo '9.9.9 (Stand-in)'; exit 0; fi
. "$HOME/.proof/begin.sh"
prompt=$(cat)
id='"session_id":"11111111-1111-4111-8111-111111111111"'
text="done $key"
structured=
failure=
answer="$HOME/.proof/answers/\${key//\\//.}.sh"
[ -e "$answer" ] || answer="$HOME/.proof/answers/any.sh"
echo '{"type":"system","subtype":"init","model":"stand-in",'"$id"'}'
[ -e "$answer" ] && . "$answer"
if [ -n "$failure" ]; then
  echo '{"type":"result","subtype":"success","is_error":true,"result":"'"$text"'","num_turns":1,"total_cost_usd":0,'"$failure,$id"'}'
  . "$HOME/.proof/end.sh"
  exit 1
fi
echo '{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"'"$text"'"}]},'"$id"'}'
[ -n "$structured" ] && structured='"structured_output":'"$structured,"
. "$HOME/.proof/end.sh"
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$text"'",'"$structured"'"num_turns":1,"total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5},'"$id"'}'
`;

export const PROPS: Readonly<Record<string, string>> = {
  '.proof/calls': '',
  '.proof/begin.sh': `${TRIED}${BEGIN}`,
  '.proof/end.sh': END,
  '.proof/note.sh': NOTE,
  '.proof/bin/claude': CLAUDE,
};

/** A command step of a workflow that counts itself. */
export function note(name: string, word = 'x'): string {
  return `{name: ${name}, command: [bash, .proof/note.sh, "${word}"]}`;
}

/** The answer of the stand-in for one step, or for `any`. */
export function answers(scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(scripts).map(([key, script]) => [`.proof/answers/${key.replaceAll('/', '.')}.sh`, script]),
  );
}
