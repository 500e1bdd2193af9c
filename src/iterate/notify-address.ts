/** `notifyUrl` may contain credentials: it is shown without them, and only the owner can read its file. */
import { secretsInAddress, shownAddress } from '../model/address.ts';
import type { JsonValue } from '../model/json.ts';

const KEY = 'notifyUrl';

/** Settings, or a document with settings, without credentials. */
export function shownSettings<Settings extends object>(settings: Settings): Settings {
  return JSON.parse(JSON.stringify(settings, (key, value: unknown) => shownSetting(key, value as JsonValue)));
}

export function shownSetting<Value extends JsonValue | undefined>(key: string, value: Value): Value | string {
  return key === KEY && typeof value === 'string' ? shownAddress(value) : value;
}

export function holdsCredentials(settings: object): boolean {
  return JSON.stringify(shownSettings(settings)) !== JSON.stringify(settings);
}

/** The parts of the address that must not reach the run's logs. */
export function notifySecrets(url: string | undefined): readonly string[] {
  return url === undefined ? [] : secretsInAddress(url);
}
