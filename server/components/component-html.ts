/** The HTML that loads a component into a page: LangGraph's clients put it into a shadow root. */
import { type BundleFile, variableOf } from './bundles.ts';

export interface Component {
  graph: string;
  /** As the page asks for it. */
  name: string;
  /** Of the request: the page may have another origin than the service. */
  url: URL;
}

// The client puts the id of its shadow root here.
const SHADOW_ROOT = '{{shadowRootId}}';

export function componentHtml({ graph, name, url }: Component, files: BundleFile[]): string {
  const addressOf = (file: BundleFile) => inAttribute(`${originOf(url)}/ui/${graph}/${file.name}`);
  const sheets = files
    .filter((file) => file.name.endsWith('.css'))
    .map((file) => `<link rel="stylesheet" href="${addressOf(file)}" />`);
  const render = `${variableOf(graph)}.render(${JSON.stringify(name)}, "${SHADOW_ROOT}")`;
  const scripts = files
    .filter((file) => file.name.endsWith('.js'))
    .map((file) => `<script src="${addressOf(file)}" onload='${inAttribute(render, "'")}'></script>`);
  return [...sheets, ...scripts].join('\n');
}

/** Behind a proxy the page knows better whether the connection is encrypted. */
function originOf({ protocol, hostname, host }: URL): string {
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  return `${isLocal ? protocol : ''}//${host}`;
}

function inAttribute(text: string, quote: '"' | "'" = '"'): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(quote, quote === '"' ? '&quot;' : '&#39;');
}
