/** Everything but tabs and newlines that can steer a terminal: controls, and the marks that turn the direction of text. */
const STEERING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** What an agent says is shown, never obeyed: control characters become their pictures. */
export function neutralText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(STEERING, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}
