/** A way to a server that can fall silent: it then ends its connections, and new ones are never answered, as with a machine that is gone. */
import { once } from 'node:events';
import net from 'node:net';
import { onTestFinished } from 'vitest';

export class SilentProxy {
  readonly url: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #isSilent = false;
  /** Connections that were given up because nobody answered. */
  givenUp = 0;

  private constructor(url: string, server: net.Server) {
    this.url = url;
    this.#server = server;
  }

  static async to(url: string): Promise<SilentProxy> {
    const { hostname, port } = new URL(url);
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String((server.address() as net.AddressInfo).port);
    const proxy = new SilentProxy(address.href, server);
    server.on('connection', (socket) => proxy.#take(socket, { host: hostname, port: Number(port) }));
    onTestFinished(() => proxy.#close());
    return proxy;
  }

  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  answer(): void {
    this.#isSilent = false;
  }

  #take(socket: net.Socket, at: { readonly host: string; readonly port: number }): void {
    this.#keep(socket);
    if (this.#isSilent) {
      socket.resume();
      socket.on('close', () => {
        this.givenUp += 1;
      });
      return;
    }
    const server = this.#keep(net.connect(at));
    socket.pipe(server).pipe(socket);
    server.on('close', () => socket.destroy());
    socket.on('close', () => server.destroy());
  }

  #keep(socket: net.Socket): net.Socket {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
