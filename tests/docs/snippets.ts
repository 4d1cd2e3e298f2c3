/** The code of a section of a page of docs/, as readers paste it. */
import { join } from 'node:path';

export interface Snippet {
  language: string;
  code: string;
}

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;

/** `title` is the heading of the section, which includes its subsections. */
export async function snippetsOf(page: string, title: string): Promise<Snippet[]> {
  const text = await Bun.file(join(import.meta.dir, '../../docs', page)).text();
  const section = text.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';
  return Array.from(section.matchAll(BLOCK), ([, language = '', code = '']) => ({ language, code }));
}
