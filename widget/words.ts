// The texts that visitors read, in their language; words/ has them as data. English is built in, and stands in for a
// language that could not be loaded.
import english from './words/en.json' with { type: 'json' }

export type Words = typeof english
/** A form for each plural category of the language; `other` is always there. */
type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>

export let words: Words = english
/** For dates and numbers: the visitor's own variant of the language, where their browser names one. */
export let locale = 'en'

export const useWords = (loaded: Words | undefined, language: string): void => {
  words = loaded ?? english
  const own = navigator.languages.find((tag) => tag.split('-')[0] === language)
  locale = loaded ? (own ?? language) : 'en'
}

/** Puts values into the places that a text has for them. */
export const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)

/** The form of a text for that number. */
export const plural = (forms: Forms, count: number): string =>
  fill(forms[new Intl.PluralRules(locale).select(count)] ?? forms.other, {
    n: new Intl.NumberFormat(locale).format(count),
  })
