/** Reads the documents for the tests of this folder. */
import { join } from 'node:path';

export const ROOT = join(import.meta.dir, '../..');

/** Paths from the root of the repository. */
export const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md']
  .concat([...new Bun.Glob('docs/*.md').scanSync(ROOT)])
  .toSorted();

export interface Block {
  page: string;
  /** The line number of its first line of code, from 1. */
  line: number;
  language: string;
  /** The text after the language, such as `fragment`. */
  info: string;
  code: string;
}

const FENCE = /^( *)(`{3,})([^\n`]*)$/;

/** The fenced blocks of a page, in order. */
export async function blocksOf(page: string): Promise<Block[]> {
  const blocks: Block[] = [];
  let open: { fence: string; indent: string; block: Block } | undefined;
  for (const [index, line] of (await textOf(page)).split('\n').entries()) {
    const [, indent = '', fence = '', words = ''] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (fence === '') continue;
      const [language = '', ...info] = words.trim().split(/\s+/);
      open = { fence, indent, block: { page, line: index + 2, language, info: info.join(' '), code: '' } };
    } else if (line.trim() === open.fence) {
      blocks.push(open.block);
      open = undefined;
    } else {
      open.block.code += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
    }
  }
  if (open) throw new Error(`${page}:${open.block.line - 1}: the block has no end`);
  return blocks;
}

export async function textOf(page: string): Promise<string> {
  return Bun.file(join(ROOT, page)).text();
}

/** The page without code blocks and inline code. The lines keep their numbers. */
export async function proseOf(page: string): Promise<string> {
  const text = await textOf(page);
  const blank = (code: string) => code.replaceAll(/[^\n]/g, '');
  return text
    .replaceAll(/^( *)(`{3,})[^`\n]*\n[\s\S]*?^\1\2$/gm, blank)
    .replaceAll(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, (code) => code.replaceAll(/[^`]/g, '_'));
}
