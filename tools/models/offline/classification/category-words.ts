/** The words by which the offline model distinguishes the default categories. Entries match by stem, in any inflection. */

import { list } from '../language/stop-words.ts';

export interface CategoryWords {
  /** Words that hardly occur in any other kind of message. */
  strong: string[];
  /** Words that are common in such a message, and not rare in others. */
  weak: string[];
  /** Words that only break ties, and decide nothing alone. */
  faint: string[];
}

export const CATEGORY_WORDS: ReadonlyMap<string, CategoryWords> = new Map([
  [
    'product_inquiry',
    {
      strong: list(`
        how much does, how much is, how much are, how much do, how much for, what does it cost, do you have, do you sell,
        do you carry, do you stock, do you make, does it come, come in, comes with, come with, in stock, out of stock, available in,
        available as, difference between, compare, compared to, comparison, compatible, compatibility, suitable for, suited for,
        good for, best for, right for me, recommend a, recommend me, can you recommend, would you recommend, would you suggest,
        which one should, interested in, tell me more about, more information, information on, details about, spec, specification,
        dimension, made of, made from, what kind of, what type of, what size, which size, what color, which color, is there a version,
        does it have, does it support, what is the price, price of, price for, how heavy, how big, how wide, how long is, how fast,
        how far can, how loud, how thick, how deep, waterproof, water resistant, which of your, what model, which model, included in,
        is included, are included, too big for me, too small for me, fit me, work with, works with, what brand, which brand,
        where is it made, where are they made, when will it be available, back in stock, product range, catalog, brochure`),
      weak: list(`
        price, pricing, cost, size, color, weight, model, version, range, capacity, material, feature, include, available, availability,
        stock, brand, product, item, type, beginner, kid, children, women, alternative, plan, option, advice, inquiry, enquiry,
        guarantee, warranty, how many, how long does, last on, suitable, test ride, rental, rent, hire, looking for, information about,
        is your, are your, do your, does your, do these, does this, are these, how does the, explain how, how do these, big enough,
        large enough, small enough, strong enough, long enough, wide enough, heavy duty, suited, which of the, run small, run large,
        cheaper than, cheaper, longer range, noisy, can i use, wonder whether, wondering if, wonder if, storage, organic, vegan, recycled, wireless, adjustable,
        washable, certified, dishwasher safe, what is in, ingredients, allergens, the blue one, the red one, the black one`),
      faint:
        list(`would this, would it, will it, will this, suggest, recommend, support, fit, subscription, difference, tell me about, are there any, is there a, can it, can the, does the,
        is the, are the, do the, opening`),
    },
  ],
  [
    'purchase',
    {
      strong: list(`
        buy, purchase, want to buy, like to buy, want to purchase, like to purchase, like to order, want to order, to order, order a, order an, order two, order some, order one, order the, place an order, order it, order them,
        how do i order, pay, payment, paypal, credit card, debit card, american express, mastercard, visa card, bank transfer, apple pay,
        google pay, klarna, invoice, instalment, installment, financing, in cash, cart, basket, checkout, check out, discount code,
        coupon, voucher, promo code, promotion code, gift card, gift wrap, shipping, shipping cost, delivery cost, delivery fee,
        delivery time, ship to, do you ship, ship internationally, delivery, deliver, express delivery, reserve, preorder, pre-order,
        i will take, i'll take, we will take, pick it up, pickup, pick up, collect it, collect in store, i want to get, i would like to get,
        i'd like to get, i want one, i want this one, i want that one, i want the, i'd like the, i'd like one, i'd like two, i will have the,
        sign me up, sign up for, subscribe, upgrade to, renew, membership, send me a quote, send me two, send me one, send me three,
        bulk order, minimum order, per month, book a, booking, place a deposit, add to, one of each, sales tax, put one aside, set aside, put it aside, if i ordered, if i order, when would it arrive, when will it arrive, student discount,
        get a discount, quote for, a quote, change my order, get me the, get me a, pay for, paying by, next step, i will buy, can i have the, i'll have, wire transfer`),
      weak: list(`
        order, discount, deal, on sale, ship, quote, offer, upgrade, card, express, transfer the money, cheaper one, bought, licence,
        license, split, month, yearly, monthly, in store, do you take, do you accept, how do i get it, pack of, promo, price match`),
      faint: list('today, ready, put, price, sale, address, we need, subscription, company'),
    },
  ],
  [
    'support',
    {
      strong: list(`
        broken, broke, break down, need help, can someone help, refund, money back, return, exchange, replace, replacement, repair, fix,
        not working, doesn't work, don't work, won't work, not work, stopped working, no longer work, does not turn, won't turn,
        will not turn, switch on, turn on, won't start, does not start, doesn't start, will not start, not charge, won't charge,
        doesn't charge, won't open, doesn't open, won't close, doesn't close, won't load, doesn't load, not load, defect, defective,
        faulty, damaged, scratch, crack, snap, leak, crash, error, bug, freeze, log in, login, sign in, log into, password, locked out,
        reset, never arrived, not arrived, hasn't arrived, haven't arrived, has not arrived, didn't arrive, never received, not received,
        haven't received, didn't receive, never got, didn't get, where is my, where's my, lost, stolen, missing, wrong size, wrong color,
        wrong item, wrong address, sent me the wrong, wrong, charged twice, double charged, overcharged, declined, cancel, troubleshoot,
        install, set up, problem, issue, trouble, complaint about my order, flat tire, puncture, fall off, fell off, came off,
        come apart, came apart, fell apart, fall apart, in pieces, strange noise, weird noise, squeak, rattle, wobble, flicker, stuck, jam,
        overheat, burnt, smell of, tear, torn, ripped, hole in, bent, loose, warranty claim, tracking number, track my, cannot open,
        can't open, unable to, cannot access, can't access, cannot find, can't find, cannot connect, can't connect, won't connect,
        keeps falling, keep getting, keeps stopping, stays black, goes black, blank screen, how do i change, how do i update,
        how do i delete, how do i reset, how do i fix, how do i adjust, how do i replace, how can i change, how can i update,
        how can i delete, how do i connect, how do i clean, change the email, change my, update my, delete my, correct it, still no,
        still waiting, still haven't, no sign of, malfunction, disconnect, blocked, hacked, verification code, talk to a human, human agent, real person, talk to someone, speak to someone, speak with someone, contact support, not responding, unsubscribe, suspended, deactivated, not get, did not get, send back, to send it back, confirmation mail, confirmation email,
        nothing happens, not moved, payment failed, failed, what now, how do i pair, how do i connect, how do i install, how do i set, how do i turn,
        how do i use, coming loose, tastes burnt, not responding, does not respond, doesn't respond, not recognized, not recognize, no sound,
        no power, no signal, dead, blocked, got stolen, water damage, not fit, doesn't fit, does not fit, don't fit, too small, too big, too tight, too large,
        incorrect, incomplete, mistake, mix up, mixed up, not what i ordered, where is the tracking, double booking, won't go, cannot hear`),
      weak: list(`
        help, account, customer support, technical support, assistance, assist, claim, charged, noise, adjust, late, delay, delayed, arrive,
        package, parcel, update, profile, settings, manual, failed, fail, screw, maintenance, anymore, broke, download,
        no longer, since the last, since yesterday, suddenly, apart, weeks ago, days ago, expired, invalid, connect, email, charge, tracking, confirmation, press the, button, since i, since monday, send the, pair,
        correct, black screen, upside down`),
      faint:
        list(`how do i, instruction, not, gone, back, keep, stop, empty, cannot, can't, won't, doesn't, didn't, hasn't, haven't, isn't, off, flat, again, support, service, when i, every time, warranty, box, day,
        help me, still, address`),
    },
  ],
  [
    'feedback',
    {
      strong: list(`
        feedback, review, opinion, suggestion, my experience, experience was, worst experience, best experience, five stars, one star,
        four stars, two stars, three stars, out of 10, out of ten, out of five, well done, keep it up, good job, great job, great service,
        customer service, you should, would be nice, would be great, it would be better, would be helpful, could be better, could be cheaper,
        i wish, i had hoped, i hoped, i suggest, i expected, expected more, expected better, would recommend, highly recommend,
        would not recommend, i think, i find, i feel, in my opinion, never come back, never buy again, never again, compliment, praise,
        criticism, disappointed, disappointing, letdown, let down, i love, i hate, i like, we love, we like, i enjoy, i dislike, loved,
        hated, impressed, satisfied, happy with, unhappy with, pleased with, content with, i am content, worth the money, worth it,
        worth every, not worth, kudos, bravo, thumbs up, thumbs down, hats off, shout out, just wanted to say, a real gem, bring back,
        please bring, shop again, value for money, nothing special, all in all, looks different from, not as described, exceeded,
        made my day, keeps you waiting, waste of money, waste of time, job well done, top notch, second to none, please consider, you guys, you rock, are a joke, is a joke, always a pleasure, a pleasure, took forever, ignored me, ignored us, i regret, thrilled with,
        turned out, no more and no less, does what it, hang up on, treated me, treated us, felt welcome, keep up, good work, great work, nice work, great shop,
        much better, much worse, got worse, got better, very pleased, not impressed, not happy`),
      weak: list(`
        staff, experience, quality, friendly, helpful, honestly, rating, rate, thank you so much, team, design, workmanship, improve,
        improvement, overpriced, far too, okay, gem, comfy, content, layout, faster than, slower than, better than, worse than,
        than before, the old one, expected, honest, stars, prefer, hotline, mechanic`),
      faint: list('website, ever, too, better, recommend, thank, bit, so much, waiting'),
    },
  ],
  [
    'other',
    {
      strong: list(`
        see you, my favorite, where is the country, does the word, what does the word, who are you, write me, how many people, tall is, hello, good morning, good evening, good afternoon, good night, how are you, joke, weather, poem, capital of, translate, who won,
        who is, who was, who wrote, who invented, are you a robot, are you human, are you an ai, who are you, president, football,
        job opening, vacancy, horoscope, what time is it, what day is it, my name is, homework, restaurant, recipe, bye, goodbye,
        happy birthday, merry christmas, meaning of life, square root, tell me a story, sing a song, do you like`),
      weak: list(`job, hi, hey, story, sing, song, news, movie, sentence, history, music, essay, planet, country, population, bake, cook,
        war, king, queen, science, religion, politics, election, train, flight, museum, dinner, lunch, breakfast`),
      faint: [],
    },
  ],
]);

/** Things that a shop sells. A question that names one is at least about a product. */
export const PRODUCT_THINGS: string[] = list(`
  bike, ebike, e-bike, e-bikes, hybrid, scooter, helmet, tire, wheel, frame, saddle, seat, pedal, gear, brake, chain, battery, motor,
  light, lock, bell, pump, tube, fork, suspension, handlebar, rack, trailer, bag, backpack, suitcase, bottle, jersey, jacket, coat, shoe, boot,
  glove, sock, hat, cap, dress, skirt, shorts, trousers, jeans, shirt, sweater, zipper, tent, sleeping bag, knife, laptop, phone, tablet,
  monitor, screen, display, keyboard, mouse, camera, lens, headphone, earphone, speaker, charger, cable, adapter, printer, router, sensor,
  watch, television, tv, console, chair, desk, table, sofa, couch, shelf, lamp, mattress, pillow, blanket, curtain, carpet, mirror, vacuum,
  cleaner, filter, machine, coffee machine, kettle, toaster, blender, oven, fridge, freezer, washing machine, dryer, dishwasher, pan, plate,
  cup, drill, tool, kit, toy, book, software, app, licence, license, device, membership, subscription, cream,
  shampoo, perfume, ring, necklace, sunglasses, glasses, wallet, umbrella, stroller, car seat, paint, grill, bulb, fan, heater`);

/** Words that are so common in names and descriptions of categories that they say nothing about a message. */
export const GENERIC_HINTS: ReadonlySet<string> = new Set(
  list(`category, question, request, query, message, customer, user, general, any, anything, everything, else, other, related, regarding,
    people, person, want, need, ask, such, kind, thing, topic, does, fit, not`),
);
