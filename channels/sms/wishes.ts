// The words by which people say that they want no more messages, or want them again. Twilio keeps to them by itself in
// many countries, and hands the message on all the same.
// https://help.twilio.com/articles/223134027-Twilio-support-for-opt-out-keywords-SMS-STOP-filtering-
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...['stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out'],
  ...['opt-out', 'stopp', 'abmelden', 'parar', 'baja', 'arret', 'arrêt'],
])
const START_WORDS: ReadonlySet<string> = new Set([
  ...['start', 'yes', 'unstop', 'subscribe', 'optin', 'opt in', 'opt-in'],
])
const WISH_MAX = 40

/** Of a message that is nothing but such a word. */
export const wishOf = (text: string): 'stop' | 'start' | null => {
  if (text.length > WISH_MAX) return null
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
  return STOP_WORDS.has(word) ? 'stop' : START_WORDS.has(word) ? 'start' : null
}
