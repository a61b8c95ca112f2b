// The languages that the console is in. The server chooses by this cookie, or by what the browser asks for, which page to
// send; see server/platform/http/console-pages.ts.
import { LANGUAGE } from './locale.ts'

/** By their own names. Each but English has a catalogue of that name here. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
} as const
export type Language = keyof typeof LANGUAGES

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag)

const YEAR_S = 365 * 24 * 3_600

export const isLanguageChosen = (): boolean => document.cookie.includes('foyer_language=')

/** Of this browser. The page is loaded anew; drafts are kept. */
export const chooseLanguage = (language: Language): void => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API isn't in Firefox and Safari of our versions
  document.cookie = `foyer_language=${language}; path=/; max-age=${YEAR_S}; samesite=lax`
  if (language !== LANGUAGE) location.reload()
}
