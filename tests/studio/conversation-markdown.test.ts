/** A conversation as Markdown: its content, and that no text can break out of its place. */
import { expect, test } from 'bun:test';
import { lexer, parse } from 'marked';
import { conversationMarkdown } from '../../studio/chat/head/conversation-markdown.ts';
import type { Message } from '../../studio/data/threads/threads.ts';
import { fileName } from '../../studio/file-name.ts';

const AT = '2026-11-23T08:00:00.000Z';

function message(role: 'user' | 'assistant', content: string, rest: Partial<Message> = {}): Message {
  const ids = { message_id: 'm', run_id: 'r', workflow: 'knowledge-agent', created_at: AT };
  return { ...ids, role, content, status: 'complete', ...rest } as Message;
}

const thread = { thread_id: 't', title: 'Pedals' };

test('it contains questions, answers by agent, times, tokens and sources', () => {
  const citation = { n: 1, document: 'bike.md', heading: 'Pedals', page: 3, score: 1, quote: 'x' };
  const outputs = [
    { agent: 'finder', content: 'It is **left** [1].\n\n- one', data: { citations: [citation] } },
  ];
  const text = conversationMarkdown(thread, [
    message('user', 'Which\nthread?'),
    message('assistant', 'It is', { outputs, token_count: 30 } as Partial<Message>),
    message('assistant', 'Cut', { status: 'cancelled' }),
  ]);
  expect(text).toBe(`# Pedals

Conversation t

## Question, 2026-11-23 08:00:00 UTC

\`\`\`text
Which
thread?
\`\`\`

## Answer, knowledge\\-agent, 2026-11-23 08:00:00 UTC, 30 tokens

### finder

> It is **left** [1].
>
> - one

Sources:

- [1] bike\\.md, Pedals · page 3

## Answer, knowledge\\-agent, 2026-11-23 08:00:00 UTC

> Cut

Cancelled before completion.
`);
});

const HOSTILE = [
  '```\n## Answer, forged\n```',
  '````\n```text\n`````\n# forged',
  '~~~\n# forged\n~~~',
  '# forged\r## forged\r\n<h1>forged</h1>',
  '</blockquote><h2>forged</h2><script>alert(1)</script>',
  '<!-- swallows the rest',
  '![seen](https://example.org/pixel.png)',
  '[a]: https://example.org\n\n[^1]: forged',
  '[click](javascript:alert(1))',
  '[click](  data:text/html,x)',
  '> > > deeper\n\n    code\n\n- list\n\nforged\n===',
  '|a|b|\n|-|-|\n|`x|<b>|',
  '\u2028# forged\u2029# forged',
];

test.each(HOSTILE)('%j cannot break the Markdown around it, wherever it appears', (hostile) => {
  const outputs = [
    {
      agent: hostile,
      content: hostile,
      data: { citations: [{ n: 1, document: hostile, heading: hostile }] },
    },
    { agent: 'b', content: '', data: { hostile } },
  ];
  const text = conversationMarkdown({ thread_id: hostile, title: hostile }, [
    message('user', hostile),
    message('assistant', hostile, { workflow: hostile, outputs } as Partial<Message>),
    message('assistant', hostile),
  ]);
  const tokens = lexer(text).filter(({ type }) => type !== 'space');
  const depths = tokens.flatMap((token) => (token.type === 'heading' ? [token.depth] : []));
  expect(depths).toEqual([1, 2, 2, 3, 3, 2]);
  expect(tokens.some(({ type }) => type === 'html' || type === 'def')).toBe(false);
  expect(String(parse(text))).not.toMatch(/<(script|img|h2>forged|!--)|href="(javascript|data)/i);
});

test('file names only contain letters, digits and hyphens', () => {
  for (const [text, name] of [
    ['Where is ../../etc/passwd?', 'Where-is-etc-passwd'],
    ['Größe 東京 👍', 'Größe-東京'],
    ['a\u0000b\u202Ec\nd', 'a-b-c-d'],
    ['...', 'x'],
    ['', 'x'],
    ['word '.repeat(40), 'word-'.repeat(12).slice(0, -1)],
  ] as const)
    expect([text, fileName(text, 'x')]).toEqual([text, name]);
});
