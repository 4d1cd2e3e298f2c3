/** Creates real PDF and Word files, valid and hostile ones. */
import { crc32, deflateRawSync } from 'node:zlib';

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A page for each text, a line of text for each of its lines. `encrypted`: with an unknown password. */
export function pdfOf(pages: string[], { encrypted = false } = {}): Uint8Array {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      streamOf(text),
    ]),
  ];
  const key = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >> /ID [<${key}> <${key}>]`;
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${encrypted ? encrypt : ''} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return bytesOf(file + table + trailer);
}

function streamOf(text: string): string {
  const lines = text.split('\n').map((line) => `(${line.replace(/[()\\]/g, '\\$&')}) Tj T*`);
  const content = `BT /F1 12 Tf 14 TL 72 720 Td ${lines.join(' ')} ET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

export interface Entry {
  name: string;
  content: string | Uint8Array;
  /** The length of the content that the archive claims, if it is false. */
  declared?: number;
}

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
export function zipOf(entries: Entry[]): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, declared } of entries) {
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declared ?? Buffer.byteLength(content), 18);
    common.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([signature(0x04034b50), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), common, place, Buffer.from(name)]),
    );
    files.push(file);
    offset += file.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>`;
const RELATIONS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const STYLES = `<?xml version="1.0"?><w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`;

/** Paragraphs; those that begin with `# ` are headings. `more` are further files, or replacements of these. */
export function docxOf(paragraphs: string[], more: Entry[] = []): Uint8Array {
  const body = paragraphs.map((text) => {
    const style = text.startsWith('# ') ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : '';
    return `<w:p>${style}<w:r><w:t>${text.replace(/^# /, '')}</w:t></w:r></w:p>`;
  });
  const content = `<?xml version="1.0"?><w:document xmlns:w="${WORD}"><w:body>${body.join('')}</w:body></w:document>`;
  const entries = [
    { name: '[Content_Types].xml', content: TYPES },
    { name: '_rels/.rels', content: RELATIONS },
    { name: 'word/styles.xml', content: STYLES },
    { name: 'word/document.xml', content },
  ];
  const replaced = new Set(more.map(({ name }) => name));
  return zipOf([...entries.filter(({ name }) => !replaced.has(name)), ...more]);
}
