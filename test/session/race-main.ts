import { isJsonObject } from '../../src/model/json.ts';
import { parseObject } from '../../src/session/document/parse-object.ts';
import { parseSessionId, parseTaskId } from '../../src/session/ids.ts';
import { sessionPaths, taskFile } from '../../src/session/layout.ts';
import { findSession, switchSession } from '../../src/session/sessions/sessions.ts';
import { updateTask } from '../../src/session/sessions/tasks.ts';
import { updateDocument } from '../../src/store/document.ts';

const [workspace = '', name = '', rounds = '0'] = process.argv.slice(2);
const id = parseSessionId('WFS-work');
const session = findSession(workspace, 'WFS-work');
const task = parseTaskId('IMPL-1');
if (id === undefined || task === undefined || session.type === 'error') throw new Error('session not found');
const file = taskFile(sessionPaths(workspace, id), task);
for (let round = 0; round < Number(rounds); round += 1) {
  const switched = await switchSession(workspace, round % 2 === 0 ? 'WFS-other' : 'WFS-work');
  if (switched.type === 'error') throw new Error(switched.error.type);
  const counted = await updateDocument(file, parseObject, (document) => {
    const count = isJsonObject(document['count']) ? document['count'] : {};
    return { ...document, count: { ...count, [name]: Number(count[name] ?? 0) + 1 } };
  });
  if (counted.type === 'error') throw new Error(JSON.stringify(counted.error));
  if (round % 10 === 0) {
    const status = round % 20 === 0 ? 'blocked' : 'pending';
    const updated = await updateTask(session.value, 'IMPL-1', { status });
    if (updated.type === 'error') throw new Error(updated.error.type);
  }
}
