// Phrases that mail servers use for failed deliveries, by language, for servers without standard reports. Lower case,
// with single spaces; matched anywhere in text folded the same way, so line breaks, case and accents don't matter.
import { FAILURE } from './bounce-failures.ts'
import { OPENING } from './bounce-openings.ts'
import { SUBJECT } from './bounce-subjects.ts'

export type Words = Record<string, readonly string[]>

/** Not delivered yet. */
const DELAY: Words = {
  english: [
    ...[
      'will retry',
      'will be retr',
      'still retry',
      'still try',
      'still being retried',
      'will try',
      'keep trying',
    ],
    ...[
      'continue to try',
      'delayed',
      '(delay)',
      'not been delivered yet',
      'not yet been delivered',
      'queued for',
    ],
    ...[
      'no action is required',
      'do not need to resend',
      'warning only',
      'warning:',
      'temporary',
      'temporarily',
    ],
  ],
  german: ['verzögert', 'weiterhin versucht', 'erneut versucht', 'vorübergehend', 'verspätet'],
  french: ['retard', 'nouvelle tentative', 'temporaire'],
  spanish: ['retrasad', 'seguirá intentando', 'temporal'],
  portuguese: ['atrasad', 'continuará tentando', 'temporári'],
  italian: ['ritardat', 'ritardo', 'temporane'],
  dutch: ['vertraagd', 'vertraging', 'tijdelijk'],
  polish: ['opóźni', 'tymczasow'],
  czech: ['zpožd', 'odložen', 'dočasn'],
  swedish: ['fördröj', 'försen', 'tillfällig'],
  danish: ['forsink', 'midlertidig'],
  turkish: ['gecik', 'geçici'],
  russian: ['задерж', 'отложен', 'временн', 'попытки доставки будут'],
  ukrainian: ['затрим', 'відкладен', 'тимчасов'],
  japanese: ['遅延', '遅れ', '再送', '一時的'],
  chinese: ['延迟', '延遲', '稍后重试', '暂时', '暫時', '重新投递'],
  korean: ['지연', '재시도', '일시적'],
}

/** Some servers omit accents. */
export const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/\s+/g, ' ')

/** The address occurs within this many characters. */
const OPENED_MAX = 1_000
/** A frame of asterisks and dashes that some servers add. */
const FRAME = /^[^\p{L}]{1,200}/u

const flat = (words: Words): string[] => Object.values(words).flat().map(folded)
const SUBJECTS = flat(SUBJECT)
const FAILURES = flat(FAILURE)
const DELAYS = flat(DELAY)
const OPENINGS = flat(OPENING)

/** A permanent SMTP reply code, or an enhanced one. */
const CODE = /(?:^|[^\d.])(?:55[0-4](?:[^\d.,]|$)|5\.\d{1,3}\.\d{1,3}(?!\d|\.\d))/

export const subjectTells = (subject: string): boolean => {
  const text = folded(subject)
  return SUBJECTS.some((one) => text.includes(one))
}

/** The text must be folded. */
export const tellsFailure = (text: string): boolean =>
  CODE.test(text) || FAILURES.some((one) => text.includes(one))

/** The text must be folded. */
export const tellsDelay = (text: string): boolean => DELAYS.some((one) => text.includes(one))

/** Starts with wording that only a server uses, and names an address or includes the email. The text must be folded. */
export const opensAsReport = (text: string, includesMail: boolean): boolean => {
  const opening = text.slice(0, OPENED_MAX)
  if (!includesMail && !/[^\s@<]@[^\s@>]/.test(opening)) return false
  const words = opening.replace(FRAME, '')
  return OPENINGS.some((one) => words.startsWith(one))
}
