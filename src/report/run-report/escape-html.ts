import { visible } from '../../model/visible.ts';

const ENTITIES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for any place in HTML or SVG: between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
