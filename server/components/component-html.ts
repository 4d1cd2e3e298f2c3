/** The HTML that loads a component into a page. LangGraph's clients insert it into a shadow root. */
import { type BundleFile, variableOf } from './bundles.ts';

export interface Component {
  graph: string;
  /** The component's name in the request. */
  name: string;
  /** The URL of the service, because the page may have another origin. */
  base: string;
}

// LangGraph's clients replace this with the id of their shadow root.
const SHADOW_ROOT = '{{shadowRootId}}';

export function componentHtml({ graph, name, base }: Component, files: BundleFile[]): string {
  const addressOf = (file: BundleFile) => inAttribute(`${base}/ui/${graph}/${file.name}`);
  const sheets = files
    .filter((file) => file.name.endsWith('.css'))
    .map((file) => `<link rel="stylesheet" href="${addressOf(file)}" />`);
  const render = `${variableOf(graph)}.render(${JSON.stringify(name)}, "${SHADOW_ROOT}")`;
  const scripts = files
    .filter((file) => file.name.endsWith('.js'))
    .map((file) => `<script src="${addressOf(file)}" onload='${inAttribute(render, "'")}'></script>`);
  return [...sheets, ...scripts].join('\n');
}

/** The origin of a URL, without the protocol unless it is local: behind a proxy, only the page knows whether to use HTTPS. */
export function originOf({ protocol, hostname, host }: URL): string {
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  return `${isLocal ? protocol : ''}//${host}`;
}

function inAttribute(text: string, quote: '"' | "'" = '"'): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(quote, quote === '"' ? '&quot;' : '&#39;');
}
