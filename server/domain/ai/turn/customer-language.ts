// The language in which code speaks to a customer: the one they write in, as far as a few words tell.
import { wishLanguages } from '../../../../flow-engine/wants-person.ts'
import { spokenLanguage } from '../guards/spoken-language.ts'
import type { Decision, Memory } from '../think.ts'

type Written = {
  /** Since the last reply, in order. */
  texts: readonly string[]
  /** Before; the newest first. */
  earlier: readonly string[]
  /** Of the contact. */
  known: string | null
  memory: Pick<Memory, 'language'> | null
}

/** That of what they write now, else of what they wrote before. */
const languageOf = ({ texts, earlier, known, memory }: Written): string | null => {
  const text = texts.join('\n')
  const remembered = memory?.language ?? spokenLanguage(earlier.toReversed().join('\n'), null)
  return spokenLanguage(text, known, { among: wishLanguages(text), remembered })
}

/** The decision with the language of what code says; a model's own choice counts. */
export const inLanguage = (decision: Decision, written: Written): Decision =>
  decision.is === 'silent' ||
  decision.is === 'propose' ||
  ('language' in decision && (decision.language ?? null) !== null)
    ? decision
    : { ...decision, language: languageOf(written) }
