/**
 * The ways in which a secret may be written: literally, escaped for the surrounding text, and encoded. Each form is a byte sequence
 * that reveals the value, so each of them is masked.
 *
 * F1  Escaped: as in a JSON string (also twice, also as ASCII), percent-encoded, in HTML, in single quotes of a shell.
 * F2  Encoded: base64 and base64url, alone or inside a longer text, and hex; in one line or wrapped as `base64`, `openssl`
 *     and `xxd -p` wrap it. Only characters that depend on the secret alone are part of the form.
 * F3  A secret of several lines is also found line by line: a PEM key is printed, indented and quoted that way.
 * F4  Forms that may occur by chance are skipped: values shorter than four bytes, encoded forms shorter than eight
 *     characters, lines shorter than eight.
 *
 * Not found: values that a program has encrypted, compressed, reversed, split or encoded in any other way.
 */
const SHORTEST_SECRET = 4;
const SHORTEST_ENCODED = 8;
const SHORTEST_LINE = 8;
/** `openssl` and PEM, `base64` and MIME. */
const BASE64_WIDTHS = [64, 76];
/** `xxd -p`. */
const HEX_WIDTHS = [60];

/** Each once, longest first. */
export function secretForms(secrets: readonly string[]): readonly Buffer[] {
  const forms = new Set<string>();
  const add = (form: string): void => void forms.add(form);
  for (const secret of secrets) {
    if (Buffer.byteLength(secret) < SHORTEST_SECRET) continue;
    // Output of a child is well-formed UTF-8 or bytes; a lone surrogate can appear in neither.
    const whole = Buffer.from(secret).toString();
    const text = whole.trim();
    for (const form of escapedForms(whole)) add(form);
    if (Buffer.byteLength(text) < SHORTEST_SECRET) continue;
    for (const form of escapedForms(text)) add(form);
    for (const form of encodedForms(Buffer.from(text))) add(form);
    for (const line of linesOf(text)) for (const form of escapedForms(line)) add(form);
  }
  return [...forms].map((form) => Buffer.from(form)).sort((a, b) => b.length - a.length);
}

/** F1. */
function escapedForms(text: string): readonly string[] {
  // Most secrets consist of letters, digits and a few characters that are never escaped.
  if (/^[\w.~-]+$/.test(text)) return [text];
  const inJson = [text, jsonText(text), jsonText(text).replaceAll('/', '\\/'), asciiJson(text), goJson(text)];
  return [
    ...inJson,
    ...inJson.map(jsonText),
    ...percentForms(text),
    ...HTML_STYLES.map((style) => htmlText(text, style)),
    text.replaceAll("'", "'\\''"),
  ];
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asciiJson(text: string): string {
  return jsonText(text).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Some writers make JSON safe inside HTML. */
function goJson(text: string): string {
  return jsonText(text).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function percentForms(text: string): readonly string[] {
  const strict = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const upper = [encodeURIComponent(text), strict, encodeURI(text), strict.replaceAll('%2F', '/')];
  const all = [...upper, ...upper.map((form) => form.replaceAll('%20', '+'))];
  return [...all, ...all.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

type HtmlStyle = { readonly [character: string]: string };

const ANGLES: HtmlStyle = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const HTML_STYLES: readonly HtmlStyle[] = [
  ANGLES,
  { ...ANGLES, '"': '&quot;' },
  { ...ANGLES, '"': '&quot;', "'": '&#39;' },
  { ...ANGLES, '"': '&quot;', "'": '&#x27;' },
  { ...ANGLES, '"': '&quot;', "'": '&apos;' },
  { ...ANGLES, '"': '&#34;', "'": '&#39;' },
];

function htmlText(text: string, style: HtmlStyle): string {
  return text.replace(/[&<>"']/g, (character) => style[character] ?? character);
}

/** F2. */
function encodedForms(bytes: Buffer): readonly string[] {
  const hex = bytes.toString('hex');
  const forms = [...wrapped(hex, HEX_WIDTHS), ...wrapped(hex.toUpperCase(), HEX_WIDTHS)];
  for (const alignment of [0, 1, 2]) {
    const decided = base64Decided(bytes, alignment);
    for (const form of [decided, decided.replaceAll('+', '-').replaceAll('/', '_')]) {
      forms.push(...wrapped(form, alignment === 0 ? BASE64_WIDTHS : []));
    }
  }
  // The end of a short one reveals as much as its start.
  forms.push(bytes.toString('base64'));
  return forms.filter((form) => form.length >= SHORTEST_ENCODED);
}

/** Without the characters at both ends that also depend on neighbouring bytes. */
function base64Decided(bytes: Buffer, alignment: number): string {
  const encoded = Buffer.concat([Buffer.alloc(alignment), bytes]).toString('base64');
  const first = Math.ceil((alignment * 8) / 6);
  const end = Math.floor(((alignment + bytes.length) * 8) / 6);
  return encoded.slice(first, end);
}

/** In one line, wrapped, and each line by itself: a viewer may put anything between lines. */
function wrapped(form: string, widths: readonly number[]): readonly string[] {
  const inLines = widths
    .filter((width) => form.length > width)
    .flatMap((width) => {
      const lines = form.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
      return [lines.join('\n'), lines.join('\r\n'), lines.join('\\n'), ...lines];
    });
  return [form, ...inLines];
}

/** F3. The framing lines of a PEM key are the same for everyone. */
function linesOf(text: string): readonly string[] {
  if (!text.includes('\n')) return [];
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => Buffer.byteLength(line) >= SHORTEST_LINE && !line.startsWith('-----'));
}
