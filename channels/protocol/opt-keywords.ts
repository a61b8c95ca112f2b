// The words by which people say that they want no more messages, or want them again: one list for all channels. Twilio
// keeps to many of them by itself, and hands the message on all the same.
// https://help.twilio.com/articles/223134027-Twilio-support-for-opt-out-keywords-SMS-STOP-filtering-
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...[
    'stop',
    'stopall',
    'stop all',
    'unsubscribe',
    'cancel',
    'end',
    'quit',
    'revoke',
    'optout',
    'opt out',
    'opt-out',
  ],
  // WhatsApp's own label of a template's opt-out button.
  'stop promotions',
  ...['stopp', 'abmelden', 'parar', 'sair', 'cancelar', 'baja', 'desuscribir'],
  ...['arret', 'arrêt', 'désabonner'],
])
const START_WORDS: ReadonlySet<string> = new Set([
  ...['start', 'unstop', 'subscribe', 'optin', 'opt in', 'opt-in'],
])
const WISH_MAX = 40

export type Wish = 'stop' | 'start'

/**
 * A text without what says nothing in a word of this kind: the quotation marks and the bold that templates show it in
 * ("Reply “STOP”"), wide letters, invisible characters, pictures, and the full stop.
 */
export const bareWord = (text: string): string =>
  text.length > WISH_MAX
    ? ''
    : text
        .normalize('NFKC')
        .replace(/\p{Cf}|\p{Extended_Pictographic}|[\ufe0f"'*_`“”„‘’‚«»‹›]/gu, '')
        .trim()
        .toLowerCase()
        .replace(/(?<![.!])[.!]+$/, '')

/** Only for messages that contain nothing else. */
export const optKeywordOf = (text: string): Wish | null => {
  const word = bareWord(text)
  return STOP_WORDS.has(word) ? 'stop' : START_WORDS.has(word) ? 'start' : null
}
