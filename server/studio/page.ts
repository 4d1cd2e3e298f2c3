/** The HTML page that every address of the studio serves. Its script renders the content. */

// A skein of yarn: three strands.
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#4f6bed" stroke-width="1.8" stroke-linecap="round"><path d="M2 11c4 0 4-6 8-6h4"/><path d="M2 8c5 0 6 0 12 0" opacity=".55"/><path d="M2 5c4 0 4 6 8 6h4"/></svg>';

/** Adds a path prefix to the links of a page, which is bundled without one. */
export function pageBelow(page: string, basePath: string): string {
  return page
    .replaceAll('="/studio/', `="${basePath}/studio/`)
    .replace('<a href="/docs">/docs</a>', `<a href="${basePath}/docs">${basePath}/docs</a>`)
    .replace(BASE_META, `<meta name="skein-base" content="${basePath}">`);
}

// The page's script reads the path prefix from here.
const BASE_META = '<meta name="skein-base" content="">';

interface PageFiles {
  script: string;
  /** The style sheet that the page loads first. */
  style: string;
  /** The style sheet of all pages, which the script activates when it is needed. */
  wholeStyle: string;
}

export function studioPage({ script, style, wholeStyle }: PageFiles): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${BASE_META}
<title>Skein studio</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="/studio/assets/${style}">
<link id="whole-sheet" rel="alternate" type="text/css" href="/studio/assets/${wholeStyle}">
<script type="module" src="/studio/assets/${script}"></script>
</head>
<body><div id="root"></div><noscript>The studio needs JavaScript. The API reference works without: <a href="/docs">/docs</a>.</noscript></body>
</html>
`;
}
