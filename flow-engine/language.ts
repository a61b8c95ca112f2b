// Which of several texts a customer gets, and how dates and numbers are written for them.
import type { LocalizedText } from './shapes.ts'

const locales = new Map<string, string>()

/** A language that Intl takes. "xx-1" and the like pass the schema; they are written as in English. */
export const toLocale = (language: string): string => {
  const known = locales.get(language)
  if (known !== undefined) return known
  const locale = tryLocale(language)
  if (locales.size >= 500) locales.clear()
  locales.set(language, locale)
  return locale
}

const tryLocale = (language: string): string => {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en'
  } catch {
    // Intl has no other way to say that a tag is malformed.
    return 'en'
  }
}

/** de of de-AT. */
export const baseOf = (language: string): string => language.toLowerCase().split(/[-_]/, 1)[0]!

/** The text in the language asked for, else in its base or a sibling, else in the flow's own, else the first there is. */
export const chooseText = (
  text: LocalizedText,
  language: string | null,
  ownLanguage: string,
): { text: string; language: string } => {
  if (typeof text === 'string') return { text, language: ownLanguage }
  const names = Object.keys(text)
  const name =
    (language !== null && findLanguage(names, language)) || findLanguage(names, ownLanguage) || names[0]!
  return { text: text[name]!, language: name }
}

/** The one of several languages that is nearest to the one asked for. */
export const findLanguage = (names: readonly string[], language: string): string | undefined => {
  const wanted = language.toLowerCase().replace('_', '-')
  const base = baseOf(language)
  return (
    names.find((name) => name.toLowerCase() === wanted) ??
    names.find((name) => name.toLowerCase() === base) ??
    names.find((name) => baseOf(name) === base)
  )
}
