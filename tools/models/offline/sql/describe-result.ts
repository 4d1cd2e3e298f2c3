/** The task `sql_answer`: describes the rows of a query in a sentence or two. */

import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Column, SqlCell } from '../../../sql/engine.ts';
import { type ReadResult, readResultText } from '../../../sql/result-text.ts';
import { clip } from '../language/text.ts';
import { type ChatRequest, lastUserText } from '../request.ts';

const AnswerSchema = Type.Object({ properties: Type.Object({ answer: Type.Unknown() }) });

const LONGEST_CELL = 80;

/** Returns text, or `{answer}` if that schema is requested; undefined if no message has a result. */
export function sqlAnswer(request: ChatRequest): string | undefined {
  const said = describeResult(request);
  if (said === undefined || request.schema === undefined) return said;
  return Value.Check(AnswerSchema, request.schema) ? JSON.stringify({ answer: said }) : undefined;
}

/** Describes the result in the request; undefined without one. */
export function describeResult(request: ChatRequest): string | undefined {
  const result = request.data.map(readResultText).find((found) => found !== undefined);
  return result && sentence(result, lastUserText(request));
}

function sentence({ columns, rows, rowCount, truncated }: ReadResult, question: string): string {
  const [row] = rows;
  if (!row || rowCount === 0) return 'No rows fit this question.';
  if (rowCount === 1) return one(columns, row, question);
  const more = truncated ? 'at least ' : '';
  const figures = columns.filter(isFigure);
  const first = described(columns, row, question);
  const last = rows.length === rowCount && !truncated ? rows.at(-1) : undefined;
  const end =
    last && rowCount <= 20 && figures.length > 0 ? `, the last ${described(columns, last, question)}` : '';
  return `There are ${more}${figure(rowCount)} rows; the first is ${first}${end}.`;
}

type Row = { [column: string]: SqlCell };

function one(columns: readonly Column[], row: Row, question: string): string {
  const labels = columns.filter((column) => !isFigure(column));
  const figures = columns.filter(isFigure);
  if (columns.every(({ name }) => row[name] === null))
    return 'There is no such figure: no rows fit this question.';
  if (labels.length === 0)
    return `${capital(listed(figures.map((column) => measured(column, row, question))))}.`;
  if (figures.length === 0 || labels.length > 3) return `It is ${described(columns, row, question)}.`;
  const name = labels.map(({ name }) => labelled(name, row)).join(' ');
  return `${name}: ${listed(figures.map((column) => measured(column, row, question)))}.`;
}

const MAX_NAMED = 4;

function described(columns: readonly Column[], row: Row, question: string): string {
  const shown = columns.filter(({ name }) => !/(?:^|_)id$/i.test(name)).slice(0, MAX_NAMED);
  const labels = shown.filter((column) => !isFigure(column)).map(({ name }) => labelled(name, row));
  const figures = shown.filter(isFigure).map((column) => measured(column, row, question));
  if (labels.length === 0) return listed(figures);
  return figures.length === 0 ? labels.join(', ') : `${labels.join(', ')} with ${listed(figures)}`;
}

/** "512 bikes", "3 reviews", "revenue 1,234.50", "average rating 4.2". */
function measured({ name }: Column, row: Row, question: string): string {
  const value = cell(row[name]);
  const counted = /^(?:units_sold|in_stock|sum_quantity|number_of_.*|count.*)$/i.test(name);
  const thing = counted ? thingIn(question, name) : undefined;
  if (thing) return `${value} ${value === '1' ? singular(thing) : thing}`;
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  const spelled = words
    .replace(/^avg /, 'average ')
    .replace(/^sum /, 'total ')
    .replace(/^min /, 'lowest ')
    .replace(/^max /, 'highest ');
  return `${spelled} ${value}${unitIn(question, name)}`;
}

/** The singular after the number 1. Only the last word has the ending. */
function singular(things: string): string {
  if (/ies$/.test(things)) return things.replace(/ies$/, 'y');
  if (/units sold$/.test(things)) return things.replace(/units sold$/, 'unit sold');
  return things.replace(/(?<=x|ch|sh|ss)es$|(?<=[^s])s$/, '');
}

/** The counted things, in the word of the question if it has one. */
function thingIn(question: string, name: string): string | undefined {
  const asked =
    /\b(?:how many|number of|the most|the fewest|more than \d+)\s+(?:different\s+)?((?:[\p{L}-]+\s){0,1}?[\p{L}-]+s)\b/iu.exec(
      question,
    )?.[1];
  if (asked) return asked.toLowerCase();
  if (/^number_of_/i.test(name)) return name.slice('number_of_'.length).replaceAll('_', ' ');
  return /\bbikes?\b/i.test(question) || /^units_sold$/i.test(name)
    ? /\bbikes?\b/i.test(question)
      ? 'bikes'
      : 'units sold'
    : undefined;
}

/** The answer names a currency only if the question does, because rows don't contain it. */
function unitIn(question: string, name: string): string {
  if (!/revenue|profit|price|cost|amount|total/i.test(name)) return '';
  const [word] = /\b(?:euros?|dollars?|pounds?|francs?)\b|€/i.exec(question) ?? [];
  return word ? ` ${word === '€' ? 'euros' : word.toLowerCase().replace(/s?$/, 's')}` : '';
}

function isFigure({ name, type }: Column): boolean {
  return /INT|DEC|NUM|DOUBLE|FLOAT|REAL/i.test(type) && !isName(name);
}

/** Whether the numbers of a column identify something instead of measuring it. */
function isName(name: string): boolean {
  return /(?:^|_)(?:id|year)$/i.test(name) || /[a-z]I[dD]$/.test(name);
}

/** A year has no separator: 2024, not 2,024. */
function labelled(name: string, row: Row): string {
  const value = row[name];
  return isName(name) && /^\d+$/.test(String(value)) ? String(value) : cell(value);
}

function cell(value: SqlCell | undefined): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'number') return figure(value);
  if (typeof value === 'string')
    return /^-?\d+(?:\.\d+)?$/.test(value) && value.length < 16 ? decimal(value) : clip(value, LONGEST_CELL);
  return clip(JSON.stringify(value), LONGEST_CELL);
}

function figure(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}

/** Exact decimals are text, and keep their decimal places. */
function decimal(value: string): string {
  const places = value.split('.')[1]?.length ?? 0;
  return Number(value).toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places });
}

function listed(items: readonly string[]): string {
  return items.length > 1 ? `${items.slice(0, -1).join(', ')} and ${items.at(-1)}` : (items[0] ?? '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
