import { chooseLanguage, type Language } from '../../../widget/languages.ts'

/** The language that the chat box is in for a visitor, as far as the server knows. */
export const languageOf = (setting: string, locale: string | null): Language =>
  chooseLanguage([setting, locale ?? undefined])
