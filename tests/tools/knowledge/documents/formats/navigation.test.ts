/** Which parts of a page are navigation, and the title above its passages. */
import { expect, test } from 'bun:test';
import { htmlText } from '../../../../../tools/knowledge/documents/formats/html.ts';

const BODY = '<h1>Chains</h1><p>Replace the <a href="chain.html">chain</a> at 0.75 percent wear.</p>';
const text = (html: string) => htmlText(html).text.trim();
const WITHOUT = text(BODY);

test.each([
  ['a nav element', '<nav>Home and <b>all</b> else</nav>'],
  ['a role', '<div role="navigation"><ul><li>You are here</ul></div>'],
  [
    'a row of links',
    '<p><a href="a.html">Prev</a> | <a href="u.html">Up</a> | <a href="n.html">Next</a></p>',
  ],
  [
    'a table of contents',
    '<ul><li><a href="#a">Wear</a><ul><li><a href="#b">Tools</a></ul><li><a href="#c">Oil</a></ul>',
  ],
  [
    'a menu',
    '<div class="menu mainmenu"><ul><li><a href="a.html">About</a><li><a href="b.html">Shop</a></ul></div>',
  ],
  ['a sidebar', '<div class="sphinxsidebar"><h3><a href="c.html">Table of Contents</a></h3></div>'],
])('%s is left out', (_, navigation) => {
  expect(text(`${navigation}${BODY}${navigation}`)).toBe(WITHOUT);
});

test.each([
  [
    'a menu of dishes',
    '<div class="menu"><p>Soup 5 euros, with <a href="bread.html">bread</a> of the day</p></div>',
  ],
  [
    'a list of links elsewhere',
    '<ul><li><a href="a.html">Brakes</a><li><a href="b.html">Forks</a><li><a href="c.html">Hubs</a></ul>',
  ],
  [
    'a paragraph with links',
    '<p>See <a href="#a">wear</a>, <a href="#b">tools</a> and <a href="#c">oil</a> before you ride in rain.</p>',
  ],
])('%s is kept', (_, content) => {
  expect(text(`${BODY}${content}`).length).toBeGreaterThan(WITHOUT.length);
});

test('a page with only navigation keeps its lists', () => {
  expect(text('<nav><a href="a.html">Brakes</a></nav>')).toBe('Brakes');
});

test('the title is added above sections without a common heading, and only there', () => {
  const headings = (html: string) => htmlText(html).sections.map(({ headings }) => headings.join(' > '));
  const title = '<head><title>Chain care</title></head>';
  expect(headings(`${title}<h1>Wear</h1>a<h1>Oil</h1>b`)).toEqual(['Chain care > Wear', 'Chain care > Oil']);
  expect(headings(`${title}<p>a</p>`)).toEqual(['Chain care']);
  expect(headings(`${title}<h1>Chains</h1>a<h2>Oil</h2>b`)).toEqual(['Chains', 'Chains > Oil']);
  expect(htmlText(`${title}<p>a</p>`).text.trim()).toBe('a');
});
