/** Text that a model wrote, drawn as elements: no HTML of it becomes markup, no image is loaded, no link can run code. */

import { createContext, Fragment, memo, type ReactNode, useContext, useMemo } from 'react';
import { ScrollBox } from '../parts/scroll-box.tsx';
import {
  blocksOf,
  decoded,
  type MarkedToken,
  safeHref,
  type Token,
  type Tokens,
  tokensOf,
} from './blocks.ts';
import { LongText } from './long-text.tsx';
import { LONGEST } from './longest.ts';
import './markdown.css';

/** What a number in brackets refers to; undefined where there is no such source. */
type Cite = (number: number) => { title: string; open(): void } | undefined;

const CiteContext = createContext<Cite>(() => undefined);

/** Draws plain words, with some of them marked for example. */
export type DrawWords = (text: string) => ReactNode;

const WordsContext = createContext<DrawWords>((text) => text);

interface MarkdownProps {
  text: string;
  cite?: Cite | undefined;
  /** Default: as they are. */
  words?: DrawWords | undefined;
}

export function Markdown({ text, cite, words }: MarkdownProps) {
  const blocks = useMemo(() => (text.length > LONGEST ? undefined : blocksOf(text)), [text]);
  if (!blocks) return <LongText text={text} />;
  const drawn = blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added, and the last one grows
    <Block key={index} text={block} />
  ));
  const cited = cite ? <CiteContext value={cite}>{drawn}</CiteContext> : drawn;
  return (
    <div className="markdown" dir="auto">
      {words ? <WordsContext value={words}>{cited}</WordsContext> : cited}
    </div>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return tokens ? draw(tokens, 0) : <pre className="wrapped">{text}</pre>;
});

const DEEPEST = 12;

function draw(tokens: Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what is drawn has no state
    <Piece key={index} token={token} depth={depth + 1} />
  ));
}

function Piece({ token: given, depth }: { token: Token; depth: number }) {
  if (depth > DEEPEST) return given.raw;
  const token = given as MarkedToken;
  const inside = 'tokens' in token ? draw(token.tokens, depth) : undefined;
  switch (token.type) {
    case 'paragraph':
      return <p>{inside}</p>;
    case 'text':
      return inside ?? <Words text={token.text} />;
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{inside}</strong>;
    case 'em':
      return <em>{inside}</em>;
    case 'del':
      return <del>{inside}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'code':
      return (
        <ScrollBox label="Code">
          <pre>
            <code>{token.text}</code>
          </pre>
        </ScrollBox>
      );
    case 'heading':
      return <Heading level={token.depth}>{inside}</Heading>;
    case 'blockquote':
      return <blockquote>{inside}</blockquote>;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'link':
      return <OutsideLink href={token.href}>{inside}</OutsideLink>;
    case 'image':
      // Loading it would tell its server who reads.
      return <span className="image-text">[image: {decoded(token.text) || 'without a text'}]</span>;
    case 'html':
      return <span className="raw">{token.text}</span>;
    case 'checkbox':
    case 'def':
    case 'space':
      return null;
    default:
      return given.raw;
  }
}

/** Below the page's own headings. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Tag = (['h3', 'h4', 'h5', 'h6'] as const)[Math.min(level, 4) - 1] ?? 'h6';
  return <Tag>{children}</Tag>;
}

function List({ list: { ordered, start, items }, depth }: { list: Tokens.List; depth: number }) {
  const drawn = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what is drawn has no state
    <li key={index}>
      {item.task && (item.checked ? '☑ ' : '☐ ')}
      {draw(item.tokens, depth)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{drawn}</ol> : <ul>{drawn}</ul>;
}

function Table({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) {
  const cells = (row: Tokens.TableCell[], Tag: 'th' | 'td') =>
    row.map(({ tokens, align }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: what is drawn has no state
      <Tag key={index} data-align={align ?? undefined}>
        {draw(tokens, depth)}
      </Tag>
    ));
  return (
    <ScrollBox label="Table">
      <table>
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what is drawn has no state
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeHref(href);
  if (!safe) return <span title="This address is not opened">{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const CITED = /\[(\d{1,3})\]/;

/** Plain words; `[2]` leads to the source of that number, where there is one. */
function Words({ text }: { text: string }) {
  const cite = useContext(CiteContext);
  const words = useContext(WordsContext);
  const parts = text.split(CITED);
  if (parts.length === 1) return words(decoded(text));
  return parts.map((part, index) => {
    const source = index % 2 === 1 ? cite(Number(part)) : undefined;
    if (!source) {
      const plain = words(index % 2 === 1 ? `[${part}]` : decoded(part));
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text keep their places
      return <Fragment key={index}>{plain}</Fragment>;
    }
    return (
      <button
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a text keep their places
        key={index}
        type="button"
        className="cited"
        title={source.title}
        aria-label={`Source ${part}: ${source.title}`}
        onClick={source.open}
      >
        {part}
      </button>
    );
  });
}
