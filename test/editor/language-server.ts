/** The real yaml-language-server, as an editor drives it: JSON-RPC over standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const EDITOR_FOLDER = import.meta.dirname;

const SERVER = path.join(EDITOR_FOLDER, 'node_modules/yaml-language-server/bin/yaml-language-server');
const SETTINGS = { yaml: { validate: true, completion: true, hover: true, schemaStore: { enable: false } } };

export interface Finding {
  readonly line: number;
  readonly message: string;
}

export interface Completion {
  readonly label: string;
  readonly documentation: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

export class LanguageServer {
  readonly #child: ChildProcess;
  readonly #replies = new Map<number, (result: unknown) => void>();
  readonly #findings = new Map<string, (findings: readonly Finding[]) => void>();
  #buffer = Buffer.alloc(0);
  #next = 0;

  constructor(home: string) {
    this.#child = spawn(process.execPath, [SERVER, '--stdio'], {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  async start(): Promise<void> {
    const capabilities = { workspace: { configuration: true }, textDocument: { completion: {} } };
    await this.#ask('initialize', { processId: process.pid, rootUri: null, capabilities });
    this.#send({ method: 'initialized', params: {} });
    this.#send({ method: 'workspace/didChangeConfiguration', params: { settings: SETTINGS } });
  }

  /** What the editor underlines in this text. */
  open(file: string, text: string): Promise<readonly Finding[]> {
    const uri = pathToFileURL(file).href;
    const found = new Promise<readonly Finding[]>((resolve) => this.#findings.set(uri, resolve));
    const textDocument = { uri, languageId: 'yaml', version: 1, text };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
    return found;
  }

  /** What the editor offers at a place, counted from 0. */
  async complete(
    file: string,
    position: { line: number; character: number },
  ): Promise<readonly Completion[]> {
    const textDocument = { uri: pathToFileURL(file).href };
    const result = await this.#ask('textDocument/completion', { textDocument, position });
    const { items } = result as { items: { label: string; documentation?: string | { value: string } }[] };
    return items.map(({ label, documentation = '' }) => ({
      label,
      documentation: typeof documentation === 'string' ? documentation : documentation.value,
    }));
  }

  /** What the editor shows for the word at a place. */
  async hover(file: string, position: { line: number; character: number }): Promise<string> {
    const textDocument = { uri: pathToFileURL(file).href };
    const result = await this.#ask('textDocument/hover', { textDocument, position });
    return (result as { contents: { value: string } } | null)?.contents.value ?? '';
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#next;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#replies.set(id, resolve));
  }

  #send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const head = this.#buffer.indexOf('\r\n\r\n');
      const length = Number(
        /Content-Length: (\d+)/.exec(this.#buffer.toString('latin1', 0, Math.max(head, 0)))?.[1],
      );
      if (head === -1 || this.#buffer.length < head + 4 + length) return;
      const body = this.#buffer.toString('utf8', head + 4, head + 4 + length);
      this.#buffer = this.#buffer.subarray(head + 4 + length);
      this.#handle(JSON.parse(body));
    }
  }

  #handle({ id, method, params, result }: Message): void {
    if (method === undefined) {
      if (id !== undefined) this.#replies.get(id)?.(result);
    } else if (method === 'workspace/configuration' && id !== undefined) {
      const { items } = params as { items: { section?: string }[] };
      const found = items.map(({ section }) => (section === 'yaml' ? SETTINGS.yaml : {}));
      this.#send({ id, result: found });
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as {
        uri: string;
        diagnostics: { message: string; range: { start: { line: number } } }[];
      };
      this.#findings.get(uri)?.(
        diagnostics.map(({ message, range }) => ({ line: range.start.line + 1, message })),
      );
    } else if (id !== undefined) this.#send({ id, result: null });
  }
}
