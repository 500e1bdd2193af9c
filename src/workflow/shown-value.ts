const SHOWN_CHARACTERS = 80;

/** A value in a message: shortened, and quoted if white space would hide what it is. */
export function shownValue(value: string): string {
  const short =
    value.length > SHOWN_CHARACTERS
      ? `${value.slice(0, SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
      : value;
  return `\`${/^$|^\s|\s$|[\n\r\t]/.test(short) ? JSON.stringify(short) : short}\``;
}
