// Words for websites and files. Pure.
import { agoOf } from '../../state/dates.ts'
import type { Source, SourcePage } from '../../state/sources.ts'
import type { Tone } from '../../ui/badge.tsx'
import { t } from '../../words/t.ts'

const published = ({ type }: Pick<Source, 'type'>, count: number): string => {
  if (type === 'file') return count === 1 ? t`1 article` : t`${count} articles`
  return count === 1 ? t`1 page` : t`${count} pages`
}

/** The files that can be read. */
export const FILE_ENDINGS = '.pdf,.docx,.md,.txt,.csv'

export const unitOf = ({ type }: Pick<Source, 'type'>): string => (type === 'file' ? t`article` : t`page`)

export const stateOf = ({ state, pages }: Source): { tone: Tone; label: string } => {
  if (state === 'reading') return { tone: 'accent', label: 'Reading' }
  if (state === 'failed') return { tone: 'danger', label: 'Failed' }
  return pages.changed > 0 || pages.unavailable > 0
    ? { tone: 'warn', label: 'Needs review' }
    : { tone: 'ok', label: 'Ready' }
}

/** How far it is, or what was read and when. */
export const aboutSource = (source: Source): string => {
  const { state, pages, problem, readAt, type, version } = source
  if (state === 'reading' && type !== 'file' && pages.total > 1)
    return `${pages.read} of ${pages.total} pages read`
  if (state === 'reading') return 'Waiting to be read'
  return [
    problem?.message,
    published(source, pages.published),
    pages.changed > 0 && `${pages.changed} changed`,
    pages.unavailable > 0 && `${pages.unavailable} no longer available`,
    pages.failed > 0 && `${pages.failed} not read`,
    type === 'file' && version > 1 && `version ${version}`,
    readAt && `read ${agoOf(readAt)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

export const pageState = ({ state, hasChange, isRemoved }: SourcePage): { tone: Tone; label: string } => {
  if (isRemoved) return { tone: 'plain', label: 'Article deleted' }
  if (hasChange) return { tone: 'warn', label: 'Changed' }
  switch (state) {
    case 'new':
      return { tone: 'plain', label: 'Waiting' }
    case 'read':
      return { tone: 'ok', label: 'Read' }
    case 'empty':
      return { tone: 'danger', label: 'No text' }
    case 'blocked':
      return { tone: 'warn', label: 'Not allowed' }
    case 'gone':
      return { tone: 'warn', label: 'Page gone' }
    case 'failed':
      return { tone: 'danger', label: 'Failed' }
  }
}
