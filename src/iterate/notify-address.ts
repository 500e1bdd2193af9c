/** `notifyUrl` may hold credentials: it is shown without them, and the file that holds them is its owner's alone. */
import { secretsInAddress, shownAddress } from '../model/address.ts';
import type { JsonValue } from '../model/json.ts';

const KEY = 'notifyUrl';

/** Settings, or a document that holds settings, as people may see them. */
export function shownSettings<Settings extends object>(settings: Settings): Settings {
  return JSON.parse(JSON.stringify(settings, (key, value: unknown) => shownSetting(key, value as JsonValue)));
}

export function shownSetting<Value extends JsonValue | undefined>(key: string, value: Value): Value | string {
  return key === KEY && typeof value === 'string' ? shownAddress(value) : value;
}

export function holdsCredentials(settings: object): boolean {
  return JSON.stringify(shownSettings(settings)) !== JSON.stringify(settings);
}

/** What of the address must reach no log of the run. */
export function notifySecrets(url: string | undefined): readonly string[] {
  return url === undefined ? [] : secretsInAddress(url);
}
