/** The parts of a message, as several providers write them, and which pictures a page may show. */
import { expect, test } from 'bun:test';
import { mediaIn, partsIn } from '../../studio/parts/media/content-parts.ts';
import { dataUrlIn, dataUrlOf, imageIn } from '../../studio/parts/media/data-url.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.each<[string, object, object]>([
  ['OpenAI', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }, { what: 'image' }],
  ['OpenAI, short', { type: 'image_url', image_url: `data:image/png;base64,${PNG}` }, { what: 'image' }],
  ['responses', { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }, { what: 'image' }],
  [
    'Anthropic',
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { what: 'image' },
  ],
  [
    'LangChain',
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG },
    { what: 'image' },
  ],
  ['LangChain 1', { type: 'image', mimeType: 'image/png', data: PNG }, { what: 'image' }],
])('a picture of %s is known with its type and size', (_, part, media) => {
  expect(mediaIn(part)).toMatchObject({ ...media, data: { type: 'image/png', bytes: 70 } });
});

test('audio and files are described by name, type and size', () => {
  expect(mediaIn({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })).toMatchObject({
    ...{ what: 'audio', data: { type: 'audio/wav', bytes: 3 } },
  });
  const file_data = 'data:application/pdf;base64,AAAA';
  expect(mediaIn({ type: 'file', file: { filename: 'a.pdf', file_data } })).toMatchObject({
    ...{ what: 'file', name: 'a.pdf', data: { type: 'application/pdf', bytes: 3 } },
  });
  expect(mediaIn({ type: 'image', url: 'https://example.org/a.png' })).toMatchObject({
    ...{ data: undefined, address: 'https://example.org/a.png' },
  });
});

test('text, reasoning and unknown blocks are recognized', () => {
  const content = [
    ...['plain', { type: 'text', text: 'a' }, { type: 'thinking', thinking: 'b' }],
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'c' }] },
    ...[{ type: 'tool_use', id: 'x' }, null, 7],
  ];
  expect(partsIn(content)?.map(({ kind }) => kind)).toEqual([
    ...(['text', 'text', 'reasoning', 'reasoning', 'other', 'other', 'other'] as const),
  ]);
  for (const value of ['text', [], [1, {}], {}, null, [{ type: '__proto__' }, { type: 'constructor' }]])
    expect(partsIn(value)).toBeUndefined();
});

test('only bitmap images whose content matches their type are shown', () => {
  const picture = (address: string) => {
    const data = dataUrlIn(address);
    return data && imageIn(data);
  };
  expect(picture(`data:image/png;base64,${PNG}`)).toEqual({ address: `data:image/png;base64,${PNG}` });
  expect(picture(`DATA:IMAGE/PNG;charset=x;base64,${PNG}`)).toMatchObject({ address: expect.any(String) });
  const svg = btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
  for (const address of [
    `data:image/svg+xml;base64,${svg}`,
    `data:image/png;base64,${svg}`,
    `data:text/html;base64,${svg}`,
    `data:image/png;base64,${PNG}" onerror="alert(1)`,
    `data:image/jpeg;base64,${PNG}`,
    'data:image/png;base64,',
  ])
    expect(picture(address)?.problem).toBeString();
  for (const address of ['javascript:alert(1)', 'data:image/svg+xml,<svg/>', 'https://x/a.png', ''])
    expect(picture(address)).toBeUndefined();
  expect(imageIn(dataUrlOf(PNG + 'A'.repeat(12_000_000), 'image/png')).problem).toContain('too large');
});
