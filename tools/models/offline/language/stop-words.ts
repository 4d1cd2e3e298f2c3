/** English words that name no topic: small words, and verbs and fillers of ordinary requests. */

/** `'a, b c, d'` as `['a', 'b c', 'd']`. Word lists are written as text, so that they are readable. */
export function list(entries: string): string[] {
  return entries
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

const spaced = (text: string): string[] => text.trim().split(/\s+/);

/** Articles and possessives, which precede a noun phrase. */
export const DETERMINERS: ReadonlySet<string> = new Set(
  spaced(
    'a an the my your our their his her its this that these those some any about regarding concerning which',
  ),
);

/** Small words that never carry meaning on their own. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...DETERMINERS,
  ...spaced(`
    i me mine myself we us ours you yours he him she it they them who whom whose what when where why how
    i'm i've i'd i'll you're you've you'll we're we've he's she's it's that's there's they're what's who's where's let's
    am is are was were be been being have has had having do does did doing done can could will would shall should
    may might must ought cannot can't couldn't won't wouldn't don't doesn't didn't isn't aren't wasn't weren't
    haven't hasn't hadn't shouldn't not no nor none never yes
    and or but if then than so because while as until of at by for with without within into onto through during
    before after above below to from up down in out on off over under again further once here there all both each
    few more most other another such only own same too very just also even still yet already ever now today
    one ones something anything nothing everything someone anyone nobody everyone
    per via like unless every although though since however therefore maybe perhaps really quite rather
    s t m d re ve ll etc ok okay oh please`),
]);

/** Verbs that are nouns after an article or possessive: "the ride", "my name". */
export const NOUNS_TOO: ReadonlySet<string> = new Set(
  spaced('ride return call work offer help name question start difference time use order ship'),
);

/** Adjectives that may be between an article and its noun, but don't belong to the topic: "the same order". */
export const BARE_ADJECTIVES: ReadonlySet<string> = new Set(
  spaced('same last new own next first second old big small large little best great good bad other'),
);

/** Verbs and fillers that are never the topic of a message. They end a noun phrase. */
export const VAGUE_WORDS: ReadonlySet<string> = new Set(
  spaced(`
    want wants wanted need needs needed get gets got getting give gives given gave take takes took taken taking
    make makes made making go goes going went gone come comes came coming put puts say says said tell tells told
    know knows knew think thinks thought see sees saw seen look looks looking looked find finds found finding
    use uses using try tries trying help helps helping let lets ask asks asking show shows keep keeps kept
    buy buys buying bought sell sells sold pay pays paying paid send sends sent receive received place placed
    fix fixing fixed work works working fall falls falling fell feel feels felt seem seems love loves hate hates
    like likes liked wish hope hopes prefer add adds leave left arrive arrives arrived happen happens happened
    recommend explain describe speak talk mean means start starts starting stop stops stopped open opens opened
    offer offers offered provide provides become won win wins call calls called name named write writing
    remember recall remind mention mentioned forget forgot reset translate calculate return returning cancel
    order ordering ordered orders ship ships shipped ride rides riding rode live lives living lived own owns
    hello hi hey dear thanks thank good bad great nice best better worst worse new old big small large little
    many much lot lots bit anymore back away together everyone tomorrow yesterday tonight soon always often
    twice time times thing things way kind sort sure able available possible different sorry morning evening
    ready exactly earlier later long short question questions honestly forward first last next two three four
    five difference between under`),
);
