/** Those that texts to customers are offered in. */
export const OFFERED_LANGUAGES = [
  'en',
  'de',
  'es',
  'fr',
  'pt',
  'it',
  'nl',
  'pl',
  'tr',
  'uk',
  'ru',
  'ar',
  'hi',
  'zh',
  'ja',
  'id',
]
