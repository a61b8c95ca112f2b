// A turn as the checks know it, for tests of them.
import { type CheckedReply, checkReply, type Known, type ReplyProblem } from '../check-reply.ts'

/** What a shop says of itself. */
export const SOURCE = {
  id: 'a1',
  url: 'https://help.shop.example/returns?lang=en',
  language: 'en',
  text: [
    'Returns are free within 14 days of delivery. The refund of up to 1,200.50 EUR arrives in 3 to 5 business days.',
    'Shipping costs €4.90 and is free from 50 €. We give 10% to students.',
    'We are open Monday to Friday, 9:00-17:30, and closed on 24 December 2026 and on 1.1.2027.',
    'Write to help@shop.example or call +49 30 1234 5678. The voucher is SPRING-25.',
    'Details: https://shop.example/returns and www.shop.example/size-chart.',
  ].join('\n'),
}
export const KNOWN: Known = {
  sources: [SOURCE],
  results: [],
  customerTexts: ['My order AB-12345 of 3 March has not come. I paid 80 euros. My number is 0151 2345678.'],
  ownDomains: ['shop.example'],
  privateWords: ['search_knowledge', 'canary-7Q', 'sam.agent@shop.example'],
  lastReplies: ['Which order is it about?'],
  language: null,
  lengthMax: 1_000,
}

export const QUESTION = { cited: [], isFactual: false }

/** Codes of what is wrong with a reply that cites the source. */
export const check = (
  text: string,
  known: Partial<Known> = {},
  reply: Partial<CheckedReply> = {},
): ReplyProblem['code'][] =>
  checkReply({ text, cited: ['a1'], isFactual: true, ...reply }, { ...KNOWN, ...known }).map(
    ({ code }) => code,
  )
