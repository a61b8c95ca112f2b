// The languages that the chat box has words for, and which of them is used.

export const languages = ['ar', 'de', 'en', 'es', 'fr', 'he', 'it', 'nl', 'pl', 'pt'] as const
export type Language = (typeof languages)[number]

const rightToLeft: readonly string[] = ['ar', 'he']

export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  rightToLeft.includes(language) ? 'rtl' : 'ltr'

/** The first of the wanted languages that there are words for, whatever its region; otherwise English. */
export const chooseLanguage = (wanted: readonly (string | undefined)[]): Language => {
  for (const tag of wanted) {
    // Old browsers call Hebrew by its former code.
    const base = tag?.toLowerCase().split(/[-_]/)[0]?.replace('iw', 'he')
    const language = languages.find((known) => known === base)
    if (language) return language
  }
  return 'en'
}
