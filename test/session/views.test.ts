import { describe, expect, it } from 'vitest';
import { SessionWorkspace, task } from './rig.ts';

const SUMMARY = {
  approach: 'Tokens are signed.\nMore words.',
  files_modified: [
    { path: 'src/a.ts', description: 'new', evidence: 'changed' },
    { path: 'src/b.ts', description: 'said so', evidence: 'unchanged' },
  ],
  key_decisions: [{ decision: 'HS256', rationale: 'simple' }],
  shared_context: { key_component: 'src/a.ts' },
  integration_points: [{ name: 'sign()', usage: 'call it' }],
  verification: [{ check: 'npm test', method: 'exit code 0', proven: true }],
  notes: 'Rotate keys.',
};

describe('the generated documents', () => {
  it('TODO_LIST.md follows the template, with links to existing files', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-001', { title: 'Auth' }),
      task('IMPL-001.1', { title: 'Login', context: { parent: 'IMPL-001' } }),
      task('IMPL-001.2', {
        title: 'JWT',
        status: 'completed',
        context: { parent: 'IMPL-001' },
        summary: SUMMARY,
      }),
      task('IMPL-002', { title: 'Docs', status: 'completed', summary: SUMMARY }),
      task('IMPL-003', { title: 'Rest' }),
      task('IMPL-003.1', { title: 'A', context: { parent: 'IMPL-003' } }),
      task('IMPL-003.2', { title: 'B', context: { parent: 'IMPL-003' } }),
    ]);
    await workspace.ok(['views']);
    expect(workspace.todo()).toBe(`# Tasks: Work

## Task Progress
▸ **IMPL-001**: Auth → [📋](./.task/IMPL-001.json)
  - [ ] **IMPL-001.1**: Login → [📋](./.task/IMPL-001.1.json)
  - [x] **IMPL-001.2**: JWT → [📋](./.task/IMPL-001.2.json) | [✅](./.summaries/IMPL-001.2-summary.md)
  
- [x] **IMPL-002**: Docs → [📋](./.task/IMPL-002.json) | [✅](./.summaries/IMPL-002-summary.md)

▸ **IMPL-003**: Rest → [📋](./.task/IMPL-003.json)
  - [ ] **IMPL-003.1**: A → [📋](./.task/IMPL-003.1.json)
  - [ ] **IMPL-003.2**: B → [📋](./.task/IMPL-003.2.json)

## Status Legend
- \`▸\` = Container task (has subtasks)
- \`- [ ]\` = Pending leaf task  
- \`- [x]\` = Completed leaf task
- Maximum 2 levels: Main tasks and subtasks only
`);
    const links = [...workspace.todo().matchAll(/\]\(\.\/([^)]+)\)/g)].map(([, link]) => link ?? '');
    expect(links).toHaveLength(9);
    for (const link of links) expect(workspace.has(`.workflow/WFS-work/${link}`), link).toBe(true);
  });

  it('a title is plain text: no links, tags or terminal control characters', async () => {
    const workspace = new SessionWorkspace();
    const title = 'Read\u001b[2J [this](http://example.com) <b>now</b>, if a < b [x]';
    await workspace.begin([task('IMPL-001', { title })]);
    await workspace.ok(['views']);
    expect(workspace.todo()).toContain(
      '- [ ] **IMPL-001**: Read [2J [this\\](http://example.com) \\<b>now\\</b>, if a < b [x] → [📋]',
    );
  });

  it('IMPL_PLAN.md shows overview, requirements, tasks and dependencies', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', { title: 'Auth "now"', context: { requirements: ['fast', 'safe'] } }),
      task('IMPL-1.1', {
        title: 'Login',
        status: 'completed',
        context: { parent: 'IMPL-1', focus_paths: ['src/auth'], acceptance: ['command: true', 'works'] },
      }),
      task('IMPL-2', { title: 'Docs', context: { depends_on: ['IMPL-1'], requirements: ['fast'] } }),
    ]);
    await workspace.ok(['views']);
    expect(workspace.read('.workflow/WFS-work/IMPL_PLAN.md')).toBe(`# Implementation Plan: Work

## Overview
Work

- **Session**: WFS-work
- **Kind**: workflow
- **Complexity**: simple
- **Phase**: IMPLEMENT
- **Tasks**: 2

## Requirements
- fast
- safe

## Task Structure
- **IMPL-1**: Auth "now" (container)
  - Requirements: fast; safe
  - **IMPL-1.1**: Login (feature, code-developer)
    - Focus: \`src/auth\`
    - Acceptance: command: true; works
- **IMPL-2**: Docs (feature, code-developer)
  - Depends on: IMPL-1
  - Requirements: fast

## Dependencies
\`\`\`mermaid
graph TD
  IMPL_1["IMPL-1: Auth  now "]
  IMPL_1_1["IMPL-1.1: Login"]
  IMPL_2["IMPL-2: Docs"]
  IMPL_1 -.- IMPL_1_1
  IMPL_1 --> IMPL_2
  classDef done fill:#dfd,stroke:#393
  class IMPL_1,IMPL_1_1 done
\`\`\`
`);
  });

  it('a summary follows the template and distinguishes claims from confirmed changes', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', { status: 'completed', summary: { ...SUMMARY, approach: 'Designed it.' } }),
      task('IMPL-2', {
        title: 'Sign tokens',
        status: 'completed',
        context: { depends_on: ['IMPL-1'], inherited: { from: 'IMPL-9', context: ['as designed'] } },
        execution: { attempts: 2, cost_usd: 0.25, unknown_cost_calls: 1, worked_ms: 72_000 },
        summary: SUMMARY,
      }),
    ]);
    await workspace.ok(['views']);
    expect(
      workspace.read('.workflow/WFS-work/.summaries/IMPL-2-summary.md'),
    ).toBe(`# Task Summary: IMPL-2 - Sign tokens

## Context Provided
- **Parent Context**: as designed (from IMPL-9)
- **Dependencies Resolved**:
  - IMPL-1: Designed it.

## Implementation Details
### Approach
Tokens are signed.
More words.

### Files Modified
- \`src/a.ts\`: new
- \`src/b.ts\`: said so (claimed; version control shows no change)

### Key Decisions
- HS256: simple

## Outputs for Dependent Tasks
### Shared Context
\`\`\`json
{
  "key_component": "src/a.ts"
}
\`\`\`

### Integration Points
- **sign()**: call it

## Testing Verification
- **npm test**: exit code 0 (proven)

## Notes for Future Tasks
Rotate keys.

## Time and Cost
- **Time**: 1 min 12 s in 2 attempts
- **Cost**: $0.2500 + 1 call of unknown cost
`);
    // One that no run has worked on.
    expect(workspace.read('.workflow/WFS-work/.summaries/IMPL-1-summary.md')).not.toContain('Time and Cost');
  });

  it('are regenerated from the JSON, even if they were edited', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([task('IMPL-1')]);
    await workspace.ok(['views']);
    const [todo, plan] = [workspace.todo(), workspace.read('.workflow/WFS-work/IMPL_PLAN.md')];
    workspace.write({
      '.workflow/WFS-work/TODO_LIST.md': todo.replace('[ ]', '[x]'),
      '.workflow/WFS-work/IMPL_PLAN.md': 'nonsense',
    });
    expect((await workspace.ok(['task', 'list', '--json'])).stdout).toContain('"status": "pending"');
    const written = await workspace.ok(['views']);
    expect(written.stdout).toBe('.workflow/WFS-work/TODO_LIST.md\n.workflow/WFS-work/IMPL_PLAN.md\n');
    expect([workspace.todo(), workspace.read('.workflow/WFS-work/IMPL_PLAN.md')]).toEqual([todo, plan]);
    expect((await workspace.ok(['views'])).stdout).toBe('');
  });
});
