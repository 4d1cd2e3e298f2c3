/** A PowerPoint presentation: one section per slide, with its title as heading, its number as page, and its notes below. */
import { posix } from 'node:path';
import { UnreadableDocument } from '../reader.ts';
import { cleaned, oneLine } from '../text/clean.ts';
import type { DocumentText } from '../text/document-text.ts';
import { joinedParts, onePart } from '../text/joined-parts.ts';
import { kindOf } from '../text/plain-text.ts';
import { type Archive, openArchive } from './archive.ts';
import { type SlideText, slideText } from './slide.ts';
import { elementsOf } from './xml.ts';

const KIND = 'PowerPoint presentation (.pptx)';

/** Throws UnreadableDocument. */
export function readPptx(bytes: Uint8Array, maxInflated: number): DocumentText {
  if (kindOf(bytes)?.includes('password'))
    throw new UnreadableDocument('It has a password or is a .ppt file: save it as .pptx without a password');
  const archive = openArchive(bytes, { maxInflated, kind: KIND });
  if (!archive.file(PRESENTATION)) throw new UnreadableDocument(`It is not a valid ${KIND}`);
  const slides = slidesOf(archive);
  return joinedParts(slides.map((path, index) => slidePart(archive, path, index + 1)));
}

const PRESENTATION = 'ppt/presentation.xml';

/** In presentation order, which differs from the order of the files. */
function slidesOf(archive: Archive): string[] {
  const targets = new Map(relationsOf(archive, PRESENTATION).map(({ id, target }) => [id, target]));
  return elementsOf(archive.file(PRESENTATION), 'sldId').flatMap(
    (attributes) => targets.get(attributes['r:id'] ?? '') ?? [],
  );
}

function slidePart(archive: Archive, path: string, page: number): DocumentText {
  const { title, body } = textAt(archive, path);
  const notes = relationsOf(archive, path)
    .filter(({ type }) => type.endsWith('/notesSlide'))
    .map(({ target }) => textAt(archive, target).notes);
  const text = cleaned([title, body, ...notes].filter(Boolean).join('\n\n'));
  return onePart(text, { page, headings: [oneLine(title)].filter(Boolean) });
}

function textAt(archive: Archive, path: string): SlideText {
  const file = archive.file(path);
  return file ? slideText(file) : { title: '', body: '', notes: '' };
}

interface Relation {
  id: string;
  type: string;
  /** The file in the archive. */
  target: string;
}

function relationsOf(archive: Archive, path: string): Relation[] {
  const { dir, base } = posix.parse(path);
  const relations = elementsOf(archive.file(`${dir}/_rels/${base}.rels`), 'Relationship');
  return relations.map(({ Id: id = '', Type: type = '', Target: target = '' }) => ({
    id,
    type,
    target: target.startsWith('/') ? target.slice(1) : posix.join(dir, target),
  }));
}
