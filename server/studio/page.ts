/** The page that every address of the studio answers: what is shown is made by its script. */

// A skein of yarn: three strands.
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#4f6bed" stroke-width="1.8" stroke-linecap="round"><path d="M2 11c4 0 4-6 8-6h4"/><path d="M2 8c5 0 6 0 12 0" opacity=".55"/><path d="M2 5c4 0 4 6 8 6h4"/></svg>';

export function studioPage({ script, style }: { script: string; style: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Skein studio</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="/studio/assets/${style}">
<script type="module" src="/studio/assets/${script}"></script>
</head>
<body><div id="root"></div><noscript>The studio needs JavaScript. The API reference works without: <a href="/docs">/docs</a>.</noscript></body>
</html>
`;
}
