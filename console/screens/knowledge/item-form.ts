// What is being written of an article or answer: as fields, as the server takes it, and as it is kept in this browser
// until it is saved.
import type { ChannelName } from '../../../channels/names.ts'
import type { Gap } from '../../state/gaps.ts'
import type { AnswerBody, ArticleBody, KnowledgeItem, KnowledgeKind } from '../../state/knowledge.ts'
import type { Signed } from '../../state/session.tsx'
import type { SourceSettings } from '../../state/sources.ts'
import { ownLanguage } from './words.ts'

export type ItemForm = {
  title: string
  language: string
  body: string
  /** One per line. */
  phrasings: string
  url: string
  channels: ChannelName[]
  /** Codes, separated by commas. */
  countries: string
  languages: string
  tagIds: string[]
  isInternal: boolean
  /** Empty for none. */
  reviewBy: string
}

/** Of the title made from a question; people shorten it. */
const TITLE_MAX = 100

export const emptyForm = (): ItemForm => ({
  title: '',
  language: ownLanguage(),
  body: '',
  phrasings: '',
  url: '',
  channels: [],
  countries: '',
  languages: '',
  tagIds: [],
  isInternal: false,
  reviewBy: '',
})

export const formOf = (item: KnowledgeItem): ItemForm => ({
  title: item.title,
  language: item.language,
  body: item.body,
  phrasings: 'phrasings' in item ? item.phrasings.join('\n') : '',
  url: 'url' in item ? (item.url ?? '') : '',
  channels: item.audience.channels,
  countries: item.audience.countries.join(', '),
  languages: item.audience.languages.join(', '),
  tagIds: item.audience.tagIds,
  isInternal: item.isInternal,
  reviewBy: item.reviewBy ?? '',
})

/** Of a website or file: it has no text of its own. */
export const formOfSource = ({ name, language, audience, ...settings }: SourceSettings): ItemForm => ({
  ...emptyForm(),
  title: name,
  language,
  channels: audience.channels,
  countries: audience.countries.join(', '),
  languages: audience.languages.join(', '),
  tagIds: audience.tagIds,
  isInternal: settings.isInternal,
  reviewBy: settings.reviewBy ?? '',
})

const partsOf = (text: string, separator: RegExp): string[] => [
  ...new Set(
    text
      .split(separator)
      .map((part) => part.trim())
      .filter(Boolean),
  ),
]
export const phrasingsOf = ({ phrasings }: Pick<ItemForm, 'phrasings'>): string[] => partsOf(phrasings, /\n/)

/** Whom it is for, and until when. */
export const settingsOf = (form: ItemForm) => ({
  isInternal: form.isInternal,
  reviewBy: form.reviewBy || null,
  audience: {
    channels: form.channels,
    countries: partsOf(form.countries.toUpperCase(), /[\s,;]+/),
    languages: partsOf(form.languages.toLowerCase(), /[\s,;]+/),
    tagIds: form.tagIds,
  },
})

/** `item` is what it replaces: its external id is kept, and it must not have changed since. */
export const bodyOf = (
  kind: KnowledgeKind,
  form: ItemForm,
  { state, item }: { state: 'draft' | 'published'; item: KnowledgeItem | null },
): ArticleBody | AnswerBody => {
  const shared = {
    title: form.title.trim(),
    language: form.language,
    body: form.body.trim(),
    state,
    ...settingsOf(form),
    ...(item && { externalId: item.externalId, ifUpdatedAt: item.updatedAt }),
  }
  return kind === 'answers'
    ? { ...shared, phrasings: phrasingsOf(form) }
    : { ...shared, url: form.url.trim() || null }
}

export const isSameForm = (one: ItemForm, other: ItemForm): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** A new answer to unanswered questions. */
export const formOfGap = ({ questions, reply }: Gap): ItemForm => ({
  ...emptyForm(),
  title: (questions[0] ?? '').replace(/\s+/g, ' ').slice(0, TITLE_MAX),
  body: reply ?? '',
  phrasings: questions.map((question) => question.replace(/\s+/g, ' ').trim()).join('\n'),
})

/** `base`: the item that the person began with, null for a new one. */
export type Draft = { form: ItemForm; base: KnowledgeItem | null }

const nameOf = ({ session, workspace }: Signed, kind: KnowledgeKind, id: string): string =>
  `foyer.knowledge.${workspace.id}.${session.account.id}.${kind}.${id}`

export const readDraft = (signed: Signed, kind: KnowledgeKind, id: string): Draft | null => {
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(signed, kind, id)) ?? 'null') as Draft | null
    return kept && { ...kept, form: { ...emptyForm(), ...kept.form } }
  } catch {
    return null
  }
}

export const writeDraft = (signed: Signed, kind: KnowledgeKind, id: string, draft: Draft | null): void => {
  const name = nameOf(signed, kind, id)
  try {
    if (draft) localStorage.setItem(name, JSON.stringify(draft))
    else localStorage.removeItem(name)
  } catch {
    // The browser's storage is full; what was written is still on the page.
  }
}
