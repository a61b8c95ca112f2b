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
  if (state === 'reading') return { tone: 'accent', label: t`Reading` }
  if (state === 'failed') return { tone: 'danger', label: t`Failed` }
  return pages.changed > 0 || pages.unavailable > 0
    ? { tone: 'warn', label: t`Needs review` }
    : { tone: 'ok', label: t`Ready` }
}

/** How far it is, or what was read and when. */
export const aboutSource = (source: Source): string => {
  const { state, pages, problem, readAt, type, version } = source
  if (state === 'reading' && type !== 'file' && pages.total > 1)
    return t`${pages.read} of ${pages.total} pages read`
  if (state === 'reading') return t`Waiting to be read`
  return [
    problem?.message,
    published(source, pages.published),
    pages.changed > 0 && t`${pages.changed} changed`,
    pages.unavailable > 0 && t`${pages.unavailable} no longer available`,
    pages.failed > 0 && t`${pages.failed} not read`,
    type === 'file' && version > 1 && t`version ${version}`,
    readAt && t`read ${agoOf(readAt)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

export const pageState = ({ state, hasChange, isRemoved }: SourcePage): { tone: Tone; label: string } => {
  if (isRemoved) return { tone: 'plain', label: t`Article deleted` }
  if (hasChange) return { tone: 'warn', label: t`Changed` }
  switch (state) {
    case 'new':
      return { tone: 'plain', label: t`Waiting` }
    case 'read':
      return { tone: 'ok', label: t`Read` }
    case 'empty':
      return { tone: 'danger', label: t`No text` }
    case 'blocked':
      return { tone: 'warn', label: t`Not allowed` }
    case 'gone':
      return { tone: 'warn', label: t`Page gone` }
    case 'failed':
      return { tone: 'danger', label: t`Failed` }
  }
}
