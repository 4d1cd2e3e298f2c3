/** The words from which the offline model determines the sentiment of a message. Entries match by stem. */

import { list } from '../language/stop-words.ts';

export const STRONGLY_POSITIVE = list(`
  love, amazing, excellent, fantastic, awesome, perfect, brilliant, wonderful, outstanding, superb, best, incredible, delighted,
  thrilled, flawless, exceptional, magnificent, phenomenal, marvelous, terrific, stunning, impressed, impressive, fabulous, adore,
  😍, 🥰, ❤, 💯, 🎉, 🤩`);

export const POSITIVE = list(`
  good, great, nice, happy, glad, pleased, satisfied, i like, we like, really like, enjoy, enjoyed, friendly, helpful, comfortable, smooth, fast, quick,
  easy, beautiful, reliable, would recommend, can recommend, highly recommend, comfy, kudos, bravo, gem, worth it, worth every, content with, am content, exceeded, faster than, useful, fun, cool, fine, polite, kind, solid, sturdy, clean, fair, pretty, quiet, smart,
  thank, thanks, thx, appreciate, grateful, better, well done, pleasant, works well, excited, proud, lovely, favorite, convenient,
  👍, 😀, 😃, 😄, 😊, 🙂, 🙏, 👏, 💪, ✨`);

export const NEGATIVE = list(`
  bad, poor, slow, ugly, confusing, annoying, annoyed, disappointed, disappointing, unhappy, sad, weak, cheap, rude, unfriendly,
  uncomfortable, unreliable, expensive, overpriced, difficult, boring, frustrating, frustrated, upset, dislike, don't like, didn't like, doesn't like, dissatisfied,
  unsatisfied, mediocre, lousy, sloppy, complicated, impolite, waste, wasted, complain, complaint, unacceptable, careless, loud,
  hard to, flimsy, sorry, worried, concerned, regret, mess, messy, lacking, unclear, terribly, horribly, badly, far too high, letdown, not worth, expected more, expected better, keeps waiting, overrated, pointless, stiff, ages,
  👎, 😞, 😢, 😭, 🙁, ☹, 😒`);

export const STRONGLY_NEGATIVE = list(`
  terrible, horrible, awful, worst, hate, disgusting, furious, angry, useless, dreadful, pathetic, garbage, trash, rubbish, scam,
  fraud, ridiculous, outrageous, appalling, nightmare, disaster, crap, junk, despise, disgrace, shameful, atrocious,
  😡, 🤬, 😠, 🤮, 💩`);

/** Things that go wrong. They lower the score, but are facts and not opinions. */
export const TROUBLE = list(`
  broken, damaged, defective, faulty, wrong, problem, issue, crash, fail, failed, missing, lost, stolen, error, trouble, stuck,
  overcharged, charged twice, never arrived, not working, scratch, crack, leak, puncture, late, delayed, malfunction, fall off, fell off, came apart, fell apart, torn, stays black, declined, in pieces, flicker, wobble, leaking, won't start`);

/** Phrases that contain such words, but are no opinion. */
export const TONELESS = list(`
  good morning, good evening, good afternoon, good night, good day, good luck, kind of, what kind, pretty much, would like,
  be better, best regards, kind regards, no problem`);

export const NEGATORS: ReadonlySet<string> = new Set(
  list(
    `not, no, never, none, nothing, nobody, neither, nor, without, hardly, barely, cannot, less, isnt, dont, doesnt, didnt, wasnt, cant, wont`,
  ),
);

export const INTENSIFIERS: ReadonlySet<string> = new Set(
  list(
    `very, really, extremely, so, super, absolutely, incredibly, totally, highly, completely, truly, too, far, most, ever, utterly, deeply, especially`,
  ),
);

export const DIMINISHERS: ReadonlySet<string> = new Set(
  list(`slightly, somewhat, bit, little, fairly, rather, kinda, mildly, partly`),
);
