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

const YEAR_S = 365 * 24 * 3_600

/** Of this browser. The page is loaded anew; drafts are kept. */
export const chooseLanguage = (language: Language): void => {
  if (language === LANGUAGE) return
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API isn't in Firefox and Safari of our versions
  document.cookie = `foyer_language=${language}; path=/; max-age=${YEAR_S}; samesite=lax`
  location.reload()
}
