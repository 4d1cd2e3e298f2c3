/** Stop words of several languages, which say nothing about the topic of a question. */
import { STOP_WORDS, VAGUE_WORDS } from '../../../models/offline/language/stop-words.ts';
import { plain } from './terms.ts';

const spaced = (text: string) => new Set(plain(text).trim().split(/\s+/));

const OTHER_LANGUAGES = [
  // German
  spaced(`der die das den dem des ein eine einen einem einer eines und oder aber wenn weil dass ob wie was wer wo wann
    warum wieso weshalb welche welcher welches welchen wofür wozu womit ich du er sie es wir ihr mich mir dich dir sich
    uns man mein meine meinen dein kein keine nicht ist sind war waren sein bin hat haben hatte habe wird werden wurde
    kann kannst können muss müssen soll darf dürfen will wollen möchte macht machen tut gibt geht in im an am auf aus
    bei beim mit nach von vom zu zum zur für über unter vor zwischen durch gegen ohne um als auch nur noch schon sehr
    hier da dort alle alles bitte mal denn so`),
  // French
  spaced(`le la les l un une des du de d et ou mais si que qu qui quoi quel quelle quels quelles comment pourquoi quand
    où je tu il elle on nous vous ils elles me m te se s ce c cette ces mon ma mes ton son sa ses leur ne n pas est
    sont était être a ai ont avoir fait faire peut puis peux dois doit à au aux en dans sur sous avec sans pour par
    entre vers chez plus moins très y sert fonctionne`),
  // Spanish
  spaced(`el la los las un una unos unas de del y o pero si que qué quién cuál cuáles cómo por para cuándo dónde porqué yo
    tú él ella nosotros ellos me te se lo le su sus mi mis es son era ser está están ha he han hay hace hacer puedo
    puede debo debe a al en con sin sobre entre desde hasta no más menos muy ya uso usar funciona`),
  // Italian
  spaced(`il lo la i gli le un uno una di del dello della dei delle e o ma se che chi quale quali come perché quando dove
    io tu lui lei noi voi loro mi ti si ci è sono era essere ha ho hanno fa fare posso può devo deve a al alla in nel
    nella con senza su sul per tra fra non più meno molto usa usare`),
];

export interface SmallWords {
  /** Whether the question is in another language than English. */
  isOther: boolean;
  isSmall(word: string): boolean;
  isVague(word: string): boolean;
}

/** Returns functions that classify a word as a stop word in the language of the question, or as vague: "want", "get". */
export function smallWordsOf(words: readonly string[]): SmallWords {
  const hits = (small: ReadonlySet<string>) => words.filter((word) => small.has(word)).length;
  const [best] = OTHER_LANGUAGES.map((small) => ({ small, count: hits(small) })).sort(
    (a, b) => b.count - a.count,
  );
  const isOther = best !== undefined && best.count > hits(STOP_WORDS);
  return {
    isOther,
    isSmall: (word) => STOP_WORDS.has(word) || (isOther && best.small.has(word)),
    isVague: (word) => VAGUE_WORDS.has(word),
  };
}
