// Words of the knowledge screens. Pure.
import type { KnowledgeKind, KnowledgeMatch, KnowledgeMatches } from '../../state/knowledge.ts'
import { t } from '../../words/t.ts'

export const KIND_WORDS: Record<KnowledgeKind, { one: string; many: string; about: string }> = {
  answers: {
    one: 'answer',
    many: t`Answers`,
    about: t`Short replies. Without a model, they’re sent word for word.`,
  },
  articles: {
    one: 'article',
    many: t`Articles`,
    about: t`Longer texts. Without a model, they’re offered by title.`,
  },
}

/** How close a question is, from 0 to 1. */
export const closenessWords = (certainty: number): string => {
  if (certainty >= 0.7) return t`Very close match`
  if (certainty >= 0.44) return t`Close match`
  return certainty >= 0.25 ? t`Loose match` : t`Poor match`
}

/** What the AI agent would do, as the heading of what follows. */
export const decisionWords = ({ decision, matches }: KnowledgeMatches): string => {
  if (decision === 'say') return t`The AI agent would reply:`
  if (decision === 'offer') return t`The AI agent wouldn’t be sure, and would offer:`
  return matches.length > 0
    ? t`The AI agent would hand over to the team. Nothing is close enough.`
    : t`The AI agent would hand over to the team. Nothing matches.`
}

/** Why something close isn't sent as the reply. */
export const whyOffered = ({ type, needsReview }: KnowledgeMatch): string | null => {
  if (needsReview) return t`Past its review date`
  return type === 'article' ? t`Articles are only offered` : null
}

export const isPastReview = (reviewBy: string | null, today: string): boolean =>
  reviewBy !== null && reviewBy < today

/** As dates are compared: 2026-11-23. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

/** Languages that the search can stem, most used first; any other can be written through the API. */
const CODES =
  'en de es fr pt it nl ar ca da el eu fi ga hi hu hy id lt ne no pl ro ru sr sv ta tr uk zh ja ko he'.split(
    ' ',
  )
export const languageCodes = (current: string): string[] =>
  CODES.includes(current) || current === '' ? CODES : [...CODES, current]

/** The browser's language, if it is one of these. */
export const ownLanguage = (): string => {
  const code = navigator.language.slice(0, 2).toLowerCase()
  return CODES.includes(code) ? code : 'en'
}
