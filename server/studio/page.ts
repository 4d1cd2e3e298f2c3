/** The page that every address of the studio answers: what is shown is made by its script. */

// A skein of yarn: three strands.
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#4f6bed" stroke-width="1.8" stroke-linecap="round"><path d="M2 11c4 0 4-6 8-6h4"/><path d="M2 8c5 0 6 0 12 0" opacity=".55"/><path d="M2 5c4 0 4 6 8 6h4"/></svg>';

/** Below a path, if one is set; the files are made without. */
export function movedPage(page: string, basePath: string): string {
  return page
    .replaceAll('="/studio/', `="${basePath}/studio/`)
    .replace('<a href="/docs">/docs</a>', `<a href="${basePath}/docs">${basePath}/docs</a>`)
    .replace(BASE_META, `<meta name="skein-base" content="${basePath}">`);
}

// Where the page's script finds the path.
const BASE_META = '<meta name="skein-base" content="">';

interface PageFiles {
  script: string;
  /** What a first visit needs. */
  style: string;
  /** Of all pages: the script makes it a stylesheet when it is needed. */
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
