/** The messages of the other protocols: text stays text, and no part is lost. */
import { expect } from 'bun:test';
import type { Part } from '@a2a-js/sdk';
import fc from 'fast-check';
import { contentsOf, dataPart, textPart } from '../../server/a2a/parts.ts';
import { parseUserMessage } from '../../server/ag-ui/user-message.ts';
import { selectedState } from '../../server/langgraph/threads/state-select.ts';
import { contentOf, displayText } from '../../server/openai/content.ts';
import { SkeinError } from '../../state/errors.ts';
import { anyText, property } from '../support/property.ts';

const file = fc.record({
  content: fc.oneof(
    fc.webUrl().map((value) => ({ $case: 'url' as const, value })),
    fc.uint8Array().map((bytes) => ({ $case: 'raw' as const, value: Buffer.from(bytes) })),
  ),
  mediaType: fc.constantFrom('', 'image/png', 'application/pdf', 'text/plain'),
  filename: fc.constantFrom('', 'a.pdf'),
});
const part = fc.oneof(
  anyText.map((text) => textPart(text)),
  fc.jsonValue().map((value) => dataPart(value)),
  file.map((one): Part => ({ ...one, metadata: undefined })),
);

property('the parts of an A2A message become texts, data and files', [fc.array(part)], (parts) => {
  const { text, data, files } = contentsOf(parts);
  const kinds = (kind: string) => parts.filter(({ content }) => content?.$case === kind);
  expect(text).toBe(
    kinds('text')
      .map(({ content }) => content?.value)
      .join('\n'),
  );
  expect(data).toEqual(kinds('data').map(({ content }) => content?.value));
  expect(files).toHaveLength(parts.length - kinds('text').length - kinds('data').length);
  const raw = files.flatMap(
    (one) =>
      /^data:[^,]*;base64,(.*)$/s.exec(
        JSON.parse(JSON.stringify(one, (_, value) => value)).file?.file_data ?? '',
      )?.[1] ?? [],
  );
  for (const encoded of raw)
    expect(
      kinds('raw').map(({ content }) => Buffer.from(content?.value as Uint8Array).toString('base64')),
    ).toContain(encoded);
});

const textOfOpenAI = fc.record({ type: fc.constantFrom('text', 'input_text', 'output_text'), text: anyText });
const refusalOfOpenAI = fc.record({ type: fc.constant('refusal'), refusal: anyText });
const otherOfOpenAI = fc.oneof(
  fc.record({ type: fc.constant('input_image'), image_url: fc.webUrl() }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.webUrl() }) }),
  fc.record({ type: fc.constant('input_file'), file_data: fc.base64String() }),
  fc.record({ type: fc.string() }),
);

property(
  'OpenAI content with only text parts becomes one text',
  [fc.array(fc.oneof(textOfOpenAI, refusalOfOpenAI))],
  (parts) => {
    const text = parts.map((one) => ('text' in one ? one.text : one.refusal)).join('');
    expect(contentOf(parts)).toBe(text);
    expect(displayText(contentOf(parts))).toBe(text);
  },
);

property(
  'OpenAI content parts keep their order, and converting them twice changes nothing',
  [fc.array(fc.oneof(textOfOpenAI, otherOfOpenAI), { minLength: 1 })],
  (parts) => {
    const content = contentOf(parts);
    expect(contentOf(content)).toEqual(content);
    if (typeof content === 'string') return;
    expect(content).toHaveLength(parts.length);
    for (const [at, one] of parts.entries())
      if ('text' in one) expect(content[at]).toEqual({ type: 'text', text: one.text });
    expect(displayText(content)).toBeString();
  },
);

const block = fc.record(
  {
    type: fc.constantFrom('text', 'image', 'document', 'audio'),
    text: fc.oneof(anyText, fc.anything()),
    source: fc.oneof(
      fc.record({
        type: fc.constantFrom('data', 'url'),
        value: fc.base64String(),
        mimeType: fc.constant('image/png'),
      }),
      fc.anything(),
    ),
  },
  { requiredKeys: ['type'] },
);
const messages = fc.array(
  fc.record({
    id: fc.uuid(),
    role: fc.constantFrom('user', 'assistant', 'tool'),
    content: fc.oneof(anyText, fc.array(block)),
  }),
  { maxLength: 4 },
);

property(
  "AG-UI's question is the last user message, or the request is rejected",
  [messages],
  (conversation) => {
    const last = conversation.findLast(({ role }) => role === 'user');
    try {
      const { prompt, content } = parseUserMessage(conversation as never);
      expect(prompt.trim()).not.toBe('');
      if (typeof last?.content === 'string') expect([prompt, content]).toEqual([last.content, last.content]);
      else if (typeof content !== 'string') expect(content).toHaveLength(last?.content.length ?? 0);
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      expect([error.code, error.detail?.startsWith('messages: ')]).toEqual(['INVALID_REQUEST', true]);
      if (typeof last?.content === 'string') expect(last.content.trim()).toBe('');
    }
  },
);

const name = fc.oneof(
  fc.constantFrom(
    'values',
    'next',
    'tasks',
    'metadata',
    'values.',
    'values.a',
    'values.__proto__',
    'values.b.c',
    '__proto__',
  ),
  fc.string(),
);

property(
  'a selection of a state has exactly its fields and channels',
  [fc.array(name), fc.dictionary(fc.constantFrom('a', 'b', 'b.c'), fc.jsonValue())],
  (select, values) => {
    const state = { values, next: [], tasks: [], metadata: {} };
    const chosen: Record<string, unknown> = { ...selectedState(state as never, select) };
    for (const [field, value] of Object.entries(state))
      if (select.includes(field)) expect(chosen[field]).toEqual(value);
    const channels = select.filter((one) => one.startsWith('values.'));
    for (const key of Object.keys(chosen))
      expect(select.includes(key) || (key === 'values' && channels.length > 0)).toBeTrue();
    if (select.includes('values') || channels.length === 0) return;
    expect(chosen.values).toEqual(
      Object.fromEntries(Object.entries(values).filter(([key]) => channels.includes(`values.${key}`))),
    );
  },
);
