/** Which addresses may be reached: `host`, `host:port`, `*.host`, or a URL. */
export interface HostPattern {
  /** Lower case. Starts with `*.` for every name below it. */
  readonly host: string;
  /** Omitted: 80 and 443. */
  readonly port?: number;
}

const WEB_PORTS = [80, 443];
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** Undefined if the text is no address. */
export function parseHostPattern(text: string): HostPattern | undefined {
  if (text.includes('://')) return ofUrl(text);
  const parts = /^(\[[0-9a-f:.]+\]|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}))?$/i.exec(text);
  if (parts === null) return undefined;
  const host = bare((parts[1] ?? '').toLowerCase());
  const port = parts[2] === undefined ? undefined : Number(parts[2]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return port === undefined ? { host } : { host, port };
}

function ofUrl(text: string): HostPattern | undefined {
  try {
    const { protocol, hostname, port } = new URL(text);
    if (protocol !== 'http:' && protocol !== 'https:') return undefined;
    const usual = protocol === 'https:' ? 443 : 80;
    return { host: bare(hostname.toLowerCase()), port: port === '' ? usual : Number(port) };
  } catch {
    return undefined;
  }
}

export function isAllowed(patterns: readonly HostPattern[], host: string, port: number): boolean {
  const name = bare(host.toLowerCase()).replace(/\.$/, '');
  return patterns.some(
    (pattern) =>
      (pattern.port === undefined ? WEB_PORTS.includes(port) : pattern.port === port) &&
      (pattern.host.startsWith('*.') ? name.endsWith(pattern.host.slice(1)) : name === pattern.host),
  );
}

/** Addresses on this machine, which a process without the machine's network reaches only through a listener inside. */
export function loopbackPorts(patterns: readonly HostPattern[]): readonly number[] {
  const ports = patterns
    .filter(({ host }) => LOOPBACK.test(host))
    .flatMap(({ port }) => (port === undefined ? WEB_PORTS : [port]));
  return [...new Set(ports)];
}

function bare(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
