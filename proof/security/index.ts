import { tidied } from '../site/tidy.ts';
import type { Context, Point, Suite } from '../suite.ts';
import { archivePoint } from './archives.ts';
import { prototypePoints, settingsPoint, yamlPoints } from './documents.ts';
import { elsewherePoints } from './elsewhere.ts';
import { optionsOfAgent, optionsOfPeople, taskValues, toolValues, workflowValues } from './injection.ts';
import { linkPoints } from './links.ts';
import { reportPoint } from './markup.ts';
import { documentScreen } from './screen/documents.ts';
import { logPoint, workflowScreen } from './screen/workflow.ts';
import { notificationPoint, privacyPoint, secretPoints } from './secrets.ts';
import { commandPoints } from './traversal/commands.ts';
import { rolePoint, workflowPaths } from './traversal/declared-paths.ts';
import { mcpPoint } from './traversal/mcp.ts';
import { toolPoint } from './traversal/tools.ts';
import { trustPoints } from './trust.ts';

export const security: Suite = {
  name: 'security',
  title:
    'Values that could become code, names that lead out of the workspace, swapped links, redirected files, hostile archives, documents and texts, and folders that choose what runs: nothing is run, read, written or shown that should not be, and no secret is stored.',
  timeLimitMs: 240_000,
  points: tidied(pointsOf),
};

function* pointsOf({ scale, random }: Context): Generator<Point> {
  const all = [
    ...[...workflowValues(), ...toolValues(), ...taskValues(), optionsOfAgent(), optionsOfPeople()],
    ...[...commandPoints(), mcpPoint(), toolPoint(), ...workflowPaths(), rolePoint()],
    ...[...linkPoints(), ...elsewherePoints(), archivePoint('iterate'), archivePoint('converse')],
    ...[...secretPoints(), notificationPoint(), privacyPoint()],
    ...[...prototypePoints(), ...yamlPoints(), settingsPoint()],
    ...trustPoints(),
    ...[workflowScreen(), documentScreen(), logPoint(), reportPoint()],
  ];
  yield* scale === 'full'
    ? all
    : random.sample(
        all.filter(({ id }) => QUICK.test(id)),
        10,
      );
}

/** The points that take less than a second. */
const QUICK =
  /^(?:shell|option|trust\/converse|secret\/command|secret\/permissions|report|screen\/orchestrator-log|yaml\/(?:self|js|python|local))/;
