// The keywords with which customers opt out of messages or back in, for all channels. Twilio applies many of them
// itself, and still forwards the message.
// https://help.twilio.com/articles/223134027-Twilio-support-for-opt-out-keywords-SMS-STOP-filtering-
import type { OptAction } from '../contract/inbound.ts'

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
const KEYWORD_MAX = 40

/**
 * Normalises a possible keyword: lower case, without the full stop, emoji, full-width letters, invisible characters,
 * and the quotation marks or bold of templates ("Reply “STOP”").
 */
export const bareWord = (text: string): string =>
  text.length > KEYWORD_MAX
    ? ''
    : text
        .normalize('NFKC')
        .replace(/\p{Cf}|\p{Extended_Pictographic}|[\ufe0f"'*_`“”„‘’‚«»‹›]/gu, '')
        .trim()
        .toLowerCase()
        .replace(/(?<![.!])[.!]+$/, '')

/** Only for messages that contain nothing else. */
export const optKeywordOf = (text: string): OptAction | null => {
  const word = bareWord(text)
  return STOP_WORDS.has(word) ? 'stop' : START_WORDS.has(word) ? 'start' : null
}
