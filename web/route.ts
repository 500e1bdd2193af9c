/** Every state has an address: `/w/<workspace>/<screen>[/<id>]?…`. */
import { computed, signal } from '@preact/signals';

export interface Route {
  readonly ws: string;
  readonly screen: string;
  readonly id: string;
  readonly query: URLSearchParams;
}

const address = signal(location.pathname + location.search);

export const route = computed<Route>(() => {
  const url = new URL(address.value, location.origin);
  const [, w, ws = '', screen = 'runs', id = ''] = url.pathname.split('/').map(decodeURIComponent);
  return w === 'w'
    ? { ws, screen, id, query: url.searchParams }
    : { ws: '', screen: 'runs', id: '', query: url.searchParams };
});

export function go(to: string, isReplaced = false): void {
  if (isReplaced) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  address.value = location.pathname + location.search;
}

export function startRoutes(): void {
  addEventListener('popstate', () => {
    address.value = location.pathname + location.search;
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a');
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (
      link === null ||
      link === undefined ||
      !isPlain ||
      link.origin !== location.origin ||
      link.hasAttribute('download')
    )
      return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

export function to(ws: string, screen: string, id = ''): string {
  return `/w/${encodeURIComponent(ws)}/${screen}${id === '' ? '' : `/${encodeURIComponent(id)}`}`;
}

/** Changes parts of the query; an empty value removes one. */
export function withQuery(changes: { readonly [name: string]: string | undefined }): string {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return location.pathname + (text === '' ? '' : `?${text}`);
}
