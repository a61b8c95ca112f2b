// A person's language in every browser. Loaded when this page is in another one than what is stored of them.
import { chooseLanguage, isLanguage, isLanguageChosen } from '../words/language.ts'
import { LANGUAGE } from '../words/locale.ts'
import { request } from './api.ts'
import type { Session } from './types.ts'

/**
 * What they chose in another browser holds here too, unless they chose here. Where nothing was chosen, notifications and
 * emails are in the language that they last had the console in.
 */
export default async (stored: Session['account']['language']): Promise<void> => {
  const isChosen = isLanguageChosen()
  if (stored?.isChosen) {
    if (!isChosen) chooseLanguage(stored.language)
  } else if (isLanguage(LANGUAGE)) {
    // What was chosen before it was stored counts as well.
    await request('PUT', '/session/language', { body: { language: LANGUAGE, isChosen } }).catch(() => {})
  }
}
