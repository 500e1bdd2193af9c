import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { howToClick } from '../../src/http/requests/answer.ts';
import { howToCall } from '../../src/mcp/tools/how-to-call.ts';
import type { HowToCall } from '../../src/model/advice.ts';
import { howToType } from '../../src/model/how-to-type.ts';
import { describeProblem } from '../../src/operations/describe-problem.ts';
import { kindOf, type Problem } from '../../src/operations/problem.ts';
import { problemData } from '../../src/operations/problem-data.ts';

const SRC = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'src');

describe('a problem', () => {
  it('is data: none carries its own message, and none its own kind', () => {
    expectTypeOf<Extract<Problem, { readonly message: unknown }>>().toEqualTypeOf<never>();
    expectTypeOf<Extract<Problem, { readonly kind: unknown }>>().toEqualTypeOf<never>();
  });

  it('has a type that only one table defines, so that no words are lost', () => {
    const types = tables().flatMap(({ text }) =>
      [...text.matchAll(/^ {2}'?([a-z][a-z-]*)'?: form\(/gm)].map(([, type]) => type ?? ''),
    );
    expect(types.length).toBeGreaterThan(150);
    expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
  });

  it('is worded only in the tables: no operation and no door describes a problem of its own', () => {
    const wording = files(SRC)
      .filter((file) => /^(?:operations|host|keeper|mcp|http|cli)\//.test(file))
      .filter((file) => /\bkind: '(?:not-found|invalid|conflict|held|failed)', message\b/.test(read(file)));
    expect(wording).toEqual([]);
  });

  it('proposes operations as data: only problems with the call of a program itself name one of its commands', () => {
    const own = ['operations/problems/command-line.ts', 'operations/problems/doors.ts'];
    const naming = tables().filter(({ text }) => /\borchestrate (?!is\b|from\b|to\b)[a-z]/.test(text));
    expect(naming.map(({ file }) => file).filter((file) => !own.includes(file))).toEqual([]);
  });

  it('is solved by an operation that each door names in its own words', () => {
    const help = (problem: Problem, how: HowToCall): unknown => problemData(problem, how)['help'];
    const missing: Problem = { type: 'no-such-task', task: 'IMPL-9' };
    expect(help(missing, howToType)).toBe('list the tasks with `orchestrate task list`');
    expect(help(missing, howToCall)).toBe('list the tasks with `task_list`');
    expect(help(missing, howToClick)).toBe('list the tasks with *Sessions*');
    const completed: Problem = { type: 'session-not-completed', session: 'WFS-a' };
    expect(help(completed, howToType)).toBe('use `orchestrate session switch WFS-a`');
    expect(help(completed, howToCall)).toBe('use `orchestrate session switch WFS-a` in a shell');
    const active: Problem = { type: 'other-phase-active', phase: 'phase_0' };
    expect(help(active, howToCall)).toBe(
      'end it with `phase_complete` with phase `phase_0` or `phase_fail` with phase `phase_0`',
    );
    const unfit: Problem = { type: 'input-does-not-fit', file: 'a.workflow.ts', reasons: [] };
    expect(help(unfit, howToType)).toBe(
      "pass it with `--input key=value`, `--input '{…}'` or `--input @file.json`",
    );
    expect(help(unfit, howToCall)).toBe('pass it with `context` of `run_start`');
  });

  it('tells a program its kind, type and data, and people its words', () => {
    const problem: Problem = { type: 'no-such-task', task: 'IMPL-9', near: 'IMPL-1' };
    expect(kindOf(problem)).toBe('not-found');
    expect(describeProblem(problem)).toEqual({
      message: 'task `IMPL-9` not found',
      help: 'did you mean `IMPL-1`?',
    });
    expect(problemData(problem, ({ operation }) => operation)).toEqual({
      kind: 'not-found',
      type: 'no-such-task',
      task: 'IMPL-9',
      near: 'IMPL-1',
      message: 'task `IMPL-9` not found',
      help: 'did you mean `IMPL-1`?',
    });
  });
});

function tables(): readonly { readonly file: string; readonly text: string }[] {
  return files(SRC)
    .map((file) => ({ file, text: read(file) }))
    .filter(({ text }) => text.includes("model/problem-form.ts'") && text.includes(': form('));
}

function files(folder: string): readonly string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
}

function read(file: string): string {
  return fs.readFileSync(path.join(SRC, file), 'utf8');
}
