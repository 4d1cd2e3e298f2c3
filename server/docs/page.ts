/** Renders the API reference as one static HTML page, without scripts or external resources. */
import type { OpenApiDocument, Operation } from './openapi-document.ts';

export function docsPage({ info, paths }: OpenApiDocument, basePath: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'other');
  const sections = Array.from(byTag, ([tag, group]) => {
    const entries = group.map(({ path, method, operation }) => section(basePath + path, method, operation));
    return `<h2>${text(tag)}</h2>\n${entries.join('\n')}`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${text(info.title)} <small>${text(info.version)}</small></h1>
<p>${text(info.description)} Machine-readable: <a href="${basePath}/openapi.json">${basePath}/openapi.json</a>. How to use it:
<a href="${basePath}/docs/guide">guides</a>.</p>
${sections.join('\n')}
</body></html>`;
}

function section(path: string, method: string, operation: Operation): string {
  const body = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h4>Body <code>${text(type)}</code></h4>${shape(schema)}`,
  );
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: location, required, schema }) =>
      `<li><code>${text(name)}</code> in ${text(location)}${required ? ', required' : ''} ${shape(schema)}</li>`,
  );
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const schemas = Object.values(response.content ?? {}).map(({ schema }) => shape(schema));
    const details = status === '200' ? schemas.join('') : '';
    return `<li><b>${text(status)}</b> ${text(response.description ?? '')}${details}</li>`;
  });
  return `<details><summary><b class="${text(method)}">${text(method.toUpperCase())}</b> <code>${text(path)}</code>
<span>${text(operation.summary ?? '')}</span></summary>
${parameters.length > 0 ? `<h4>Parameters</h4><ul>${parameters.join('')}</ul>` : ''}${body.join('')}
<h4>Responses</h4><ul>${responses.join('')}</ul></details>`;
}

function shape(schema: unknown): string {
  return schema === undefined ? '' : `<pre>${text(JSON.stringify(schema, null, 2))}</pre>`;
}

function text(value: string): string {
  return Bun.escapeHTML(value);
}

const STYLE = `
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
small,summary span{opacity:.75}
details{border:1px solid #8886;border-radius:6px;margin:.5rem 0;padding:.5rem .75rem}
summary{cursor:pointer}summary b{display:inline-block;min-width:3.5rem}
pre{overflow:auto;background:#8882;padding:.5rem;border-radius:4px;font-size:13px}
h2{text-transform:capitalize;margin-top:2rem}`;
