import { describe, expect, it } from 'vitest';
import { parseBrackets } from '../../src/template/parse-brackets.ts';
import { parseVariables } from '../../src/template/parse-variables.ts';
import { analyseScript } from '../../src/template/shell/analyse-script.ts';
import { WHERE } from '../../src/template/shell/refusal.ts';

const analyse = (script: string, shell = 'bash') => analyseScript(parseVariables(script).template, { shell });

describe('a place where a value is allowed', () => {
  it.each([
    ['echo ${x}', 'bare'],
    ['echo "${x}"', 'double'],
    ["echo '${x}'", 'single'],
    ['echo dir/${x}.txt', 'bare'],
    ['echo "$HOME/${x}"', 'double'],
    ["echo \"it's\" '${x}'", 'single'],
    ["echo 'say \"' ${x}", 'bare'],
    ['echo \\" ${x} \\"', 'bare'],
    ["echo it\\'s ${x}", 'bare'],
    ['echo a#${x}', 'bare'],
    ["# it's\necho ${x}", 'bare'],
    ["cat <<'E'\nit's\nE\necho ${x}", 'bare'],
    ["cat <<-E\n\tit's $HOME\n\tE\necho ${x}", 'bare'],
    ['cat <<A <<B\n"\nA\n\'\nB\necho ${x}', 'bare'],
    ['echo "$(echo ")" \'"\')" ${x}', 'bare'],
    ['echo `echo \\`date\\`` ${x}', 'bare'],
    ['echo $((1 + (2))) ${x}', 'bare'],
    ['echo $${v%%.*} "${x}"', 'double'],
    ["echo $'it\\'s' ${x}", 'bare'],
    ['v=${x}', 'bare'],
    ['v="${x}" cmd', 'double'],
    ['export v=${x}', 'bare'],
    ['a=(1 ${x})', 'bare'],
    ['a[1]=${x}', 'bare'],
    ['cmd > ${x}.log 2>&1', 'bare'],
    ['cmd <<< "${x}"', 'double'],
    ['for f in ${x} y; do :; done', 'bare'],
    ['case ${x} in a) ;; esac', 'bare'],
    ['case $v in ${x}|b) ;; esac', 'bare'],
    ['[ -f ${x} ]', 'bare'],
    ['[ "${x}" = y ] && z', 'double'],
    ['[ "${x}" -gt 3 ]', 'double'],
    ['[[ $v == "${x}" ]]', 'double'],
    ['[[ $v =~ ^${x}$ ]]', 'bare'],
    ["printf '%s\\n' ${x}", 'bare'],
    ['set -- ${x}', 'bare'],
    ['if a; then b ${x}; elif c; then d; fi', 'bare'],
    ['f() { echo ${x}; }', 'bare'],
    ['{ a; b ${x}; } | c', 'bare'],
    ['a && b ${x} || c', 'bare'],
    ['a \\\n  ${x}', 'bare'],
    ['time a ${x}', 'bare'],
    ["bash -c 'echo $1' _ ${x}", 'bare'],
    ["python3 - ${x} <<'E'\nprint()\nE", 'bare'],
    ['sed -e s/a/b/ -- ${x}', 'bare'],
  ])('%j: %s', (script, place) => {
    expect(analyse(script)).toMatchObject({ places: [place], problems: [] });
  });
});

describe('a place where a value is rejected', () => {
  it.each<[string, keyof typeof WHERE]>([
    ['cat <<E\n${x}\nE', 'heredoc'],
    ["cat <<'E'\n${x}\nE", 'heredoc'],
    ['cat <<-E\n\t${x}\n\tE', 'heredoc'],
    ['echo $(cat ${x})', 'substitution'],
    ['echo "$(cat "${x}")"', 'substitution'],
    ['echo `cat ${x}`', 'substitution'],
    ['diff <(cat ${x}) b', 'substitution'],
    ['echo $((${x} + 1))', 'arithmetic'],
    ['((i = ${x}))', 'arithmetic'],
    ['for ((i = ${x}; i < 3; i++)); do :; done', 'arithmetic'],
    ['echo $${v:-${x}}', 'expansion'],
    ["echo $'${x}'", 'ansi-quotes'],
    ['echo $"${x}"', 'locale-quotes'],
    ['echo # ${x}', 'comment'],
    ['echo \\${x}', 'after-backslash'],
    ['echo "\\${x}"', 'after-backslash'],
    ['echo $$${x}', 'after-dollar'],
    ['echo "$HOME${x}"', 'after-variable'],
    ['${x} a', 'command-name'],
    ['a | ${x}', 'command-name'],
    ['if ${x}; then :; fi', 'command-name'],
    ['v=1 ${x}', 'command-name'],
    ['sudo bin/${x}', 'command-name'],
    ['for ${x} in a; do :; done', 'name'],
    ['for ${x}[ in a; do :; done', 'name'],
    ['for ${x}** in a; do :; done', 'name'],
    ['${x}() { :; }', 'name'],
    ['export ${x}=1', 'name'],
    ['a[${x}]=1', 'subscript'],
    ['a=([${x}]=1)', 'subscript'],
    ['declare -i v=${x}', 'integer'],
    ['declare -i v; v=${x}', 'integer'],
    ['declare -a v=${x}', 'integer'],
    ['a=(1); declare a=${x}', 'integer'],
    ['PS4=${x}', 'steering-variable'],
    ['PATH=${x}:$PATH', 'steering-variable'],
    ['export LD_PRELOAD=${x}', 'steering-variable'],
    ['let v=${x}', 'evaluated'],
    ['unset ${x}', 'evaluated'],
    ['read ${x}', 'evaluated'],
    ['eval echo ${x}', 'code'],
    ['. ${x}', 'code'],
    ["trap 'rm ${x}' EXIT", 'code'],
    ['ssh host ${x}', 'nested-script'],
    ["awk '/${x}/' f", 'code'],
    ['sed "s/a/${x}/" f', 'code'],
    ['perl -pe "s/a/${x}/" f', 'code'],
    ['find . -exec sh -c "${x}" \\;', 'nested-script'],
    ['bash -c "echo ${x}"', 'nested-script'],
    ['xargs sh -c "echo ${x}"', 'nested-script'],
    ['env ${x} cmd', 'steering'],
    ['"$tool" ${x}', 'steering'],
    ['sed p ${x}', 'option'],
    ['[ ${x} -a b ]', 'test-operator'],
    ['[ ${x} ${y} ]', 'test-operator'],
    ['[ -v ${x} ]', 'test-operator'],
    ['[[ ${x} -eq 1 ]]', 'arithmetic'],
    ['[[ -v ${x} ]]', 'name'],
    ['printf ${x}', 'format'],
    ['printf -v ${x} y', 'format'],
    ['cmd >& ${x}', 'descriptor'],
    ['echo ${x} | sh', 'fed-to-interpreter'],
    ['bash <<< ${x}', 'fed-to-interpreter'],
    ['v=${x}; eval "$v"', 'code'],
    ['v=${x}; w=$v; (( w > 1 ))', 'arithmetic'],
    ['for v in ${x}; do [[ $v -eq 1 ]]; done', 'arithmetic'],
    ['f() { eval "$1"; }; f ${x}', 'code'],
    ['v=${x}; $v', 'command-name'],
    ["echo '${x}", 'unreadable'],
    ['echo "${x}', 'unreadable'],
    ['echo @(a|${x})', 'unreadable'],
    ['coproc cat ${x}', 'unreadable'],
  ])('%j: %s', (script, refusal) => {
    const { problems } = analyse(script);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]?.message).toContain(WHERE[refusal]);
    expect(problems[0]?.help).toBeTruthy();
  });

  it.each([
    ['zsh', '[ ${x} -eq 1 ]'],
    ['ksh', "printf '%d' ${x}"],
    ['zsh', 'echo *(${x})'],
    ['sh', "echo $'it\\'s' ${x}"],
  ])('%s differs from bash: %s', (shell, script) => {
    expect(analyse(script, shell).problems).toHaveLength(1);
  });

  it('is reported at the reference, with advice to pass the value beside the script', () => {
    const script = 'cat <<E\nTitle: ${steps.Plan.json.title}\nE';
    expect(analyse(script).problems).toEqual([
      {
        code: 'template/value-as-code',
        message: '`${steps.Plan.json.title}` is used inside a heredoc, where quoting does not protect it',
        start: script.indexOf('${'),
        end: script.indexOf('}') + 1,
        help: 'assign it to a variable first, `title=${steps.Plan.json.title}`, and use `"$title"` in a heredoc without quotes around its delimiter',
      },
    ]);
  });

  it('is reported for every reference', () => {
    expect(analyse('eval ${a}; echo ${b}; : $(c ${d})').problems.map(({ start }) => start)).toEqual([5, 28]);
  });
});

describe('an endless script', () => {
  it.each([
    '(',
    '$(',
    '"$(',
    '$${a:-',
    '{ ',
    'case x in x) ',
    '`',
    '[[ ',
    '((',
    '$((',
    'a=(',
    '<(',
    '@(',
    'f() ',
    '"',
    "'",
    '\\',
  ])('with %j nested or repeated twenty thousand times is rejected quickly', (opening) => {
    for (const shell of ['bash', 'ksh']) {
      expect(analyse(`echo ${opening.repeat(20_000)} \${x}`, shell).problems.length).toBeLessThanOrEqual(1);
      expect(analyse(`${opening.repeat(20_000)} \${x}`, shell).problems.length).toBeLessThanOrEqual(1);
    }
  });
});

describe('brackets of tasks', () => {
  const options = { shell: 'bash', lists: true, spelling: 'brackets' } as const;
  const places = (script: string) => analyseScript(parseBrackets(script, new Set(['list'])), options);

  it.each([
    ['cat [list]', 'words'],
    ['for f in [list]; do :; done', 'words'],
    ['a=([list])', 'words'],
    ['set -- [list]', 'words'],
    ['cat x[list]', 'bare'],
    ['v=[list]', 'bare'],
    ['cat > [list]', 'bare'],
    ['cat "[list]"', 'double'],
    ["awk -v v=[list] '{ print }' f", 'bare'],
    ['env v=[list] cmd', 'bare'],
    ['sudo -u [list] cmd', 'bare'],
    ["jq --arg v [list] '.v = $v'", 'bare'],
  ])('%j: %s', (script, place) => {
    expect(places(script)).toMatchObject({ places: [place], problems: [] });
  });

  it.each(['[ -f [list] ]', 'find [list] -name x'])('%j is rejected', (script) => {
    expect(places(script).problems).toHaveLength(1);
  });

  it('advise to use the environment variable', () => {
    expect(places('eval [list]').problems[0]).toMatchObject({
      message: '`[list]` is used in an argument that is run as code',
      help: 'use the environment variable instead: `"$list"`',
    });
  });
});
