import type { JournalEvent } from '../model/event.ts';
import { maskText } from '../process/mask.ts';

/** Takes secret values out of an event before it is written down; nothing to do where there are none. */
export function redactor(secrets: readonly string[]): ((event: JournalEvent) => JournalEvent) | undefined {
  if (secrets.length === 0) return undefined;
  return (event) => {
    const text = JSON.stringify(event);
    const masked = maskText(text, secrets);
    return masked === text ? event : (JSON.parse(masked) as JournalEvent);
  };
}
