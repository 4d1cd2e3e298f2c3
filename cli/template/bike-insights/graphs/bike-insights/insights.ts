/** The data of a run: the document and its computed figures. They are computed once and kept only in memory. */
import { type AgentTools, factsText, type Reading } from 'skein';
import { type BikeDocument, readDocument } from './document.ts';
import { factsOf } from './facts.ts';
import { type Figures, figuresOf } from './figures.ts';
import { type Theme, themesOf } from './themes.ts';

export interface Insights {
  document: BikeDocument;
  figures: Figures;
  /** The figures as sentences. */
  facts: string[];
  /** The themes of the reviews. */
  readonly themes: Theme[];
}

/** The thread stores the facts instead of the document, which may have a megabyte. */
export function readPrompt(prompt: string): Reading {
  const document = readDocument(prompt);
  const figures = figuresOf(document);
  const facts = factsOf(document, figures);
  let themes: Theme[] | undefined;
  const insights: Insights = {
    document,
    figures,
    facts,
    get themes() {
      themes ??= themesOf(document);
      return themes;
    },
  };
  return {
    input: insights,
    question: `Analyse this document of bike sales.\n\n${factsText(facts)}`,
    promptRevision: document.revision_id,
  };
}

export function insightsOf({ input }: AgentTools): Insights {
  return input as Insights;
}
