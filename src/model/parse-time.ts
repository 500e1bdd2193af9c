/** `Date.parse` for a long journal: its times have one form, and most are of the same day. */

/** `2026-01-31T23:59:59.999Z` */
const LENGTH = 24;
const DAY = '2026-01-31T'.length;
const USUAL_DAY = /^\d{4}-\d\d-\d\dT$/;
const ZERO = 48;
const DOT = 46;
const COLON = 58;
const ZULU = 90;
const NO_DIGIT = 1000;

let day = '';
let dayMs = Number.NaN;

/** Milliseconds since 1970; what is not in the usual form is left to `Date.parse`. */
export function parseTime(text: string): number {
  if (text.length !== LENGTH || text.charCodeAt(LENGTH - 1) !== ZULU) return Date.parse(text);
  if (day === '' || !text.startsWith(day)) {
    const next = text.slice(0, DAY);
    // `Date.parse` also understands other forms, some of which are local times.
    if (!USUAL_DAY.test(next)) return Date.parse(text);
    day = next;
    dayMs = Date.parse(`${day}00:00:00.000Z`);
  }
  const hours = two(text, 11);
  const minutes = two(text, 14);
  const seconds = two(text, 17);
  const ms = two(text, 20) * 10 + digit(text, 22);
  const isUsual =
    hours < 24 &&
    minutes < 60 &&
    seconds < 60 &&
    ms < 1000 &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON &&
    text.charCodeAt(19) === DOT;
  return isUsual ? dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms : Date.parse(text);
}

/** Too large if one of them is no digit. */
function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : NO_DIGIT;
}
