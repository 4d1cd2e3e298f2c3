/** Window definitions and ORDER BY. */
import { isName, takeDirections, takeName } from './names.ts';
import { isWord, list, needWord, type Parse, takeWord } from './parse.ts';

export function orderBy(parse: Parse): void {
  needWord(parse, 'ORDER');
  needWord(parse, 'BY');
  list(parse, () => {
    parse.grammar.expression(parse);
    takeDirections(parse);
  });
}

/** The content of the parentheses after OVER. */
export function window(parse: Parse): void {
  if (isName(parse) && !isWord(parse, FRAMES)) takeName(parse);
  if (takeWord(parse, 'PARTITION')) {
    needWord(parse, 'BY');
    list(parse, () => parse.grammar.expression(parse));
  }
  if (isWord(parse, ['ORDER'])) orderBy(parse);
  if (takeWord(parse, ...FRAMES)) frame(parse);
}

const FRAMES = ['ROWS', 'RANGE', 'GROUPS'];

function frame(parse: Parse): void {
  const two = takeWord(parse, 'BETWEEN');
  edge(parse);
  if (!two) return;
  needWord(parse, 'AND');
  edge(parse);
}

function edge(parse: Parse): void {
  if (takeWord(parse, 'CURRENT')) {
    needWord(parse, 'ROW');
    return;
  }
  if (!takeWord(parse, 'UNBOUNDED')) parse.grammar.operand(parse);
  needWord(parse, 'PRECEDING', 'FOLLOWING');
}
