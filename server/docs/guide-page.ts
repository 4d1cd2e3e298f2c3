/** Renders a Markdown document as an HTML page whose links to other guides lead to their pages. */

export interface Guide {
  text: string;
  /** The names of all guides. */
  names: ReadonlySet<string>;
  basePath: string;
}

export function guidePage({ text, names, basePath }: Guide): string {
  const body = Bun.markdown.html(text, { headings: { ids: true }, tagFilter: true });
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Guide';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${Bun.escapeHTML(title)} - Skein</title><style>${STYLE}</style></head><body>
<nav aria-label="Documentation"><a href="${basePath}/docs/guide">Guides</a> <a href="${basePath}/docs">API reference</a>
<a href="${basePath}/studio">Studio</a></nav>
<main>${linked(withoutEmptyHeaders(body), { names, basePath })}</main>
</body></html>`;
}

/** Removes empty table headers, because Markdown has no tables without headers. */
function withoutEmptyHeaders(body: string): string {
  return body
    .replaceAll(/<thead>\s*<tr>(?:<th><\/th>)+<\/tr>\s*<\/thead>/g, '')
    .replaceAll('<th></th>', '<td></td>');
}

/** A link to a document of docs/, relative to docs/ or to the README. */
const DOCUMENT = /^(?:\.\/)?(?:docs\/)?([a-z0-9-]+)\.md(#.*)?$/;

/** Rewrites links, and makes code and tables that are wider than the page scrollable, also with the keyboard. */
function linked(body: string, { names, basePath }: Omit<Guide, 'text'>): string {
  let tables = 0;
  const rewriter = new HTMLRewriter()
    .on('a[href]', {
      element(link) {
        const href = link.getAttribute('href') ?? '';
        if (/^https?:/.test(href)) return;
        if (href.startsWith('#')) return void link.setAttribute('href', anchorIn(href));
        const [, name = '', anchor = ''] = DOCUMENT.exec(href) ?? [];
        if (names.has(name)) link.setAttribute('href', `${basePath}/docs/guide/${name}${anchorIn(anchor)}`);
        // The service doesn't serve other files of the repository, so only the text remains.
        else link.removeAndKeepContent();
      },
    })
    .on('pre', { element: (code) => void code.setAttribute('tabindex', '0') })
    .on('table', {
      element(table) {
        tables++;
        const region = `<div class="table" role="region" aria-label="Table ${tables}" tabindex="0">`;
        table.before(region, { html: true });
        table.after('</div>', { html: true });
      },
    });
  return rewriter.transform(body);
}

/** Converts an anchor in GitHub's form to that of Bun's heading ids, which also leave out underscores. */
function anchorIn(anchor: string): string {
  return anchor.replaceAll(/[^#a-z0-9-]/g, '');
}

const STYLE = `
:root{color-scheme:light dark;--line:#8886}
html{background:light-dark(#fff,#16181c);color:light-dark(#1c1e22,#e6e8eb)}
a{color:light-dark(#1a4fbf,#8ab4ff)}
body{font:16px/1.6 system-ui,sans-serif;max-width:56rem;margin:0 auto;padding:1rem;overflow-wrap:break-word}
nav{display:flex;gap:1rem;flex-wrap:wrap;border-bottom:1px solid var(--line);padding-bottom:.75rem}
pre,.table{overflow:auto}
pre{background:#8882;padding:.75rem;border-radius:6px;font-size:14px;line-height:1.45}
code{font-size:.9em}
table{border-collapse:collapse}
th,td{border:1px solid var(--line);padding:.35rem .6rem;text-align:left;vertical-align:top;min-width:6rem}
img{max-width:100%;height:auto}
h1,h2,h3{line-height:1.25;margin:2rem 0 .75rem}
:target{scroll-margin-top:1rem}`;
