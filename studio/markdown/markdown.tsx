/** Renders Markdown from a model as React elements. HTML stays text, images aren't loaded, and links can't run code. */
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
import { MAX_FORMATTED } from './max-formatted.ts';
import './markdown.css';

/** The source with the number in brackets; otherwise undefined. */
type Cite = (number: number) => { title: string; open(): void } | undefined;

const CiteContext = createContext<Cite>(() => undefined);

/** Renders plain text, for example with marked words. */
export type DrawWords = (text: string) => ReactNode;

const WordsContext = createContext<DrawWords>((text) => text);

interface MarkdownProps {
  text: string;
  cite?: Cite | undefined;
  /** Renders plain text; by default, without changes. */
  words?: DrawWords | undefined;
}

export function Markdown({ text, cite, words }: MarkdownProps) {
  const blocks = useMemo(() => (text.length > MAX_FORMATTED ? undefined : blocksOf(text)), [text]);
  if (!blocks) return <LongText text={text} />;
  const elements = blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended, and the last one grows
    <Block key={index} text={block} />
  ));
  const cited = cite ? <CiteContext value={cite}>{elements}</CiteContext> : elements;
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

const MAX_DEPTH = 12;

function draw(tokens: Token[] | undefined, depth: number): ReactNode {
  return tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the elements have no state
    <Piece key={index} token={token} depth={depth + 1} />
  ));
}

function Piece({ token: given, depth }: { token: Token; depth: number }) {
  if (depth > MAX_DEPTH) return given.raw;
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
      // Loading the image would tell its server who is reading.
      return <span className="image-text">[image: {decoded(token.text) || 'no description'}]</span>;
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

/** Starts below the headings of the page. */
function Heading({ level, children }: { level: number; children: ReactNode }) {
  const Tag = (['h3', 'h4', 'h5', 'h6'] as const)[Math.min(level, 4) - 1] ?? 'h6';
  return <Tag>{children}</Tag>;
}

function List({ list: { ordered, start, items }, depth }: { list: Tokens.List; depth: number }) {
  const elements = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the elements have no state
    <li key={index}>
      {item.task && (item.checked ? '☑ ' : '☐ ')}
      {draw(item.tokens, depth)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{elements}</ol> : <ul>{elements}</ul>;
}

function Table({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) {
  const cells = (row: Tokens.TableCell[], Tag: 'th' | 'td') =>
    row.map(({ tokens, align }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the elements have no state
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
            // biome-ignore lint/suspicious/noArrayIndexKey: the elements have no state
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function OutsideLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeHref(href);
  if (!safe) return <span title="Link blocked: unsupported address">{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const CITED = /\[(\d{1,3})\]/;

/** Plain text. `[2]` is a button for the source with that number, if it exists. */
function Words({ text }: { text: string }) {
  const cite = useContext(CiteContext);
  const words = useContext(WordsContext);
  const parts = text.split(CITED);
  if (parts.length === 1) return words(decoded(text));
  return parts.map((part, index) => {
    const source = index % 2 === 1 ? cite(Number(part)) : undefined;
    if (!source) {
      const plain = words(index % 2 === 1 ? `[${part}]` : decoded(part));
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
      return <Fragment key={index}>{plain}</Fragment>;
    }
    return (
      <button
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
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
