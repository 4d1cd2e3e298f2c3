/** Hands a file to the browser's downloads. */

export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The click has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
