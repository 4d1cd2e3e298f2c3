/** The words by which the offline model tells the default categories apart; entries match by stem, in any inflection. */

import { list } from './stop-words.ts';

export interface CategoryWords {
  /** Hardly said in any other kind of message. */
  strong: string[];
  /** Usual in such a message, and not rare in others. */
  weak: string[];
}

export const CATEGORY_WORDS: ReadonlyMap<string, CategoryWords> = new Map([
  [
    'product_inquiry',
    {
      strong: list(`
        how much does, how much is, how much are, how much do, what does it cost, do you have, do you sell, do you carry,
        do you stock, do you offer, does it come, come in, comes with, in stock, out of stock, available in, difference between,
        compare, compared to, comparison, compatible, compatibility, suitable for, good for, best for, right for me,
        recommend a, recommend me, can you recommend, which one should, looking for, interested in, tell me about,
        tell me more about, more information, information about, information on, details about, specs, specification,
        dimension, features, made of, what kind of, what type of, what sizes, which size, what size, what colors, is there a,
        are there any, does it have, does it support, what is the price, price of, price for, how heavy, how big, how wide,
        how fast, how far can, warranty, waterproof, which of your, what models, which model`),
      weak: list(`
        price, pricing, cost, size, color, weight, model, version, range, capacity, material, feature, available,
        availability, stock, catalog, brand, product, item, type, support, include, fit, beginner, kids, children, women,
        alternative, plan, subscription, cheaper, option, advice, inquiry, enquiry, recommend, suggest a, guarantee,
        how many, how long does, last on, suitable, test ride, rental, rent, hire`),
    },
  ],
  [
    'purchase',
    {
      strong: list(`
        buy, purchase, to order, order a, order an, order two, order three, order the, place an order, pay, payment, paypal,
        credit card, debit card, bank transfer, apple pay, klarna, invoice, instalment, installment, financing, cash,
        cart, basket, checkout, check out, add to, discount code, coupon, voucher, promo code, gift card, shipping,
        ship to, do you ship, ship internationally, delivery, deliver, reserve, preorder, pre-order, i will take, i'll take,
        pick it up, pickup, pick up, i want to get, i would like to get, i'd like to get, i want one, i'd like the, i'd like one`),
      weak: list(`
        order, discount, deal, sale, bought, ship, delivery time, quote, offer, upgrade, subscribe, sign up, card,
        express, cheaper one, today, ready, how do i order, put, price, store pickup`),
    },
  ],
  [
    'support',
    {
      strong: list(`
        broken, broke, break down, help me, need help, can someone help, refund, money back, return, exchange, replace,
        replacement, repair, fix, not working, doesn't work, don't work, won't work, not work, stopped working, no longer work,
        does not turn, won't turn, will not turn, switch on, turn on, won't start, does not start, will not start, not charge,
        won't charge, doesn't charge, defect, defective, faulty, damaged, scratch, crack, snap, leak, crash, error, bug, freeze,
        log in, login, sign in, log into, password, locked out, reset, never arrived, not arrived, hasn't arrived, haven't arrived,
        has not arrived, never received, not received, haven't received, didn't receive, never got, didn't get, where is my,
        where's my, my order is, lost, stolen, missing, wrong size, wrong color, wrong item, sent me the wrong, wrong, charged twice,
        double charged, overcharged, cancel, troubleshoot, install, set up, problem, issue, trouble, malfunction, complaint about my order,
        flat tire, puncture, fall off, falling off, fell off, came off, strange noise, squeak, rattle, stuck, warranty claim,
        tracking number, track my, cannot open, can't open, unable to, cannot access, can't access, keeps falling, keep getting,
        how do i change, how do i update, how do i delete, how do i reset, how do i fix, how do i adjust, how do i replace`),
      weak: list(`
        help, account, support, assistance, assist, warranty, claim, charged, noise, loose, off, flat, adjust, late, delay, delayed,
        arrive, package, parcel, update, profile, settings, manual, instructions, how do i, cannot, can't, won't, doesn't, not,
        failed, fail, again, screw, box, maintenance, service, anymore`),
    },
  ],
  [
    'feedback',
    {
      strong: list(`
        feedback, review, opinion, suggestion, my experience, experience was, worst experience, best experience, five stars, one star,
        four stars, two stars, three stars, out of 10, out of ten, well done, keep it up, good job, great job, great service,
        customer service, you should, would be nice, would be great, it would be better, i wish, i had hoped, i hoped, i suggest,
        would recommend, can recommend, highly recommend, would not recommend, i think, i find, i feel, in my opinion,
        never come back, never buy again, never again, compliment, praise, criticism, disappointed, disappointing,
        i love, i hate, i like, i enjoy, i dislike, loved, hated, impressed, satisfied, happy with, unhappy with, pleased with`),
      weak: list(`
        staff, experience, quality, friendly, helpful, honestly, rating, rate, stars, thank you so much, thank, team, design, workmanship,
        improve, improvement, website, ever, too, better, overpriced, recommend, far too, nothing special, okay`),
    },
  ],
  [
    'other',
    {
      strong: list(`
        hello, good morning, good evening, good afternoon, how are you, joke, weather, poem, capital of, translate, who won,
        are you a robot, are you human, are you an ai, president, football, job opening, vacancy, horoscope, what time is it, my name is`),
      weak: list(`hi, hey, bye, goodbye, story, sing, song, recipe, news, movie, sentence`),
    },
  ],
]);

/** Things a shop sells: a question that names one is at least about a product. */
export const PRODUCT_THINGS: string[] = list(`
  bike, ebike, e-bike, e-bikes, mountain bike, road bike, gravel bike, hybrid, scooter, helmet, tire, wheel, frame, saddle, seat, pedal, gear,
  brake, chain, battery, motor, light, lock, bell, pump, tube, fork, suspension, handlebar, rack, bag, backpack, bottle, basket, jersey, jacket,
  shoe, glove, shorts, trousers, shirt, tent, laptop, phone, tablet, monitor, camera, headphone, charger, cable, printer, watch, chair,
  table, sofa, mattress, book, software, app, license, device, machine, tool, kit, set, trailer`);

/** So common in category names and descriptions that they tell nothing about a message. */
export const GENERIC_HINTS: ReadonlySet<string> = new Set(
  list(`category, question, request, query, message, customer, user, general, any, anything, everything, else, other, related, regarding,
    people, person, want, need, ask, such, kind, thing, topic, issue type, does, fit, not`),
);
