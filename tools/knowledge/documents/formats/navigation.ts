/** Detects elements that consist of links instead of content: menus, "Prev | Up | Next", tables of contents. */
import { Parser } from 'htmlparser2';

/** Words in the class or the id of navigation elements. */
const MARKS =
  /(?:^|[\s_-])(?:nav|navbar|navigation|navheader|navfooter|menus?|mainmenu|submenu|breadcrumbs?|toc\d*|contents|sidebar|sphinxsidebar|sphinxsidebarwrapper|related|pager|pagination|footer|nosearch)(?=$|[\s_-])/i;
const BLOCKS = new Set('address aside center div dl footer header ol p section table ul'.split(' '));
const LEADING = /^(?:prev(?:ious)?|next|up|top|home|index|contents|back|forward|main help file)\b/i;

// A block has no content if a larger share of its characters is in links.
const LINKED = 0.7;
const FEWEST_LINKS = 3;
// A row of links such as "Prev | Up | Next" is at most this long.
const ROW = 200;

interface Block {
  ordinal: number;
  isMarked: boolean;
  characters: number;
  linked: number;
  links: number;
  /** The number of links to a place on the page itself. */
  inner: number;
  /** The number of links whose text begins with a direction, such as "Next". */
  leading: number;
}

/** Returns the ordinals of the elements, counted from 0 in the order of parsing. */
export function navigationOf(html: string): ReadonlySet<number> {
  const found = new Set<number>();
  const open: (Block | undefined)[] = [];
  let ordinal = -1;
  let link: string | undefined;
  let text = '';

  const parser = new Parser({
    onopentag(name, attributes) {
      ordinal++;
      if (name === 'a' && attributes.href !== undefined) {
        link = attributes.href;
        text = '';
      }
      if (name === 'nav' || /^(?:navigation|search)$/.test(attributes.role ?? '')) found.add(ordinal);
      const isMarked = MARKS.test(attributes.class ?? '') || MARKS.test(attributes.id ?? '');
      const counts = { characters: 0, linked: 0, links: 0, inner: 0, leading: 0 };
      open.push(BLOCKS.has(name) ? { ordinal, isMarked, ...counts } : undefined);
    },
    ontext(piece) {
      const block = open.findLast((each) => each !== undefined);
      const length = piece.replace(/[^\p{L}\p{N}]+/gu, '').length;
      if (!block || length === 0) return;
      block.characters += length;
      if (link === undefined) return;
      block.linked += length;
      text += piece;
    },
    onclosetag(name) {
      const block = open.pop();
      if (name === 'a' && link !== undefined) {
        const around = open.findLast((each) => each !== undefined);
        if (around) {
          around.links++;
          if (link.startsWith('#')) around.inner++;
          if (LEADING.test(text.trim())) around.leading++;
        }
        link = undefined;
      }
      if (!block) return;
      if (leads(block)) found.add(block.ordinal);
      const around = open.findLast((each) => each !== undefined);
      if (around) addTo(around, block);
    },
  });
  parser.end(html);
  return found;
}

function leads({ isMarked, characters, linked, links, inner, leading }: Block): boolean {
  if (linked < LINKED * characters) return isMarked && leading >= 2 && characters <= ROW;
  if (isMarked && links > 0) return true;
  if (leading >= 2 && characters <= ROW) return true;
  return links >= FEWEST_LINKS && inner === links;
}

function addTo(around: Block, { characters, linked, links, inner, leading }: Block): void {
  around.characters += characters;
  around.linked += linked;
  around.links += links;
  around.inner += inner;
  around.leading += leading;
}
