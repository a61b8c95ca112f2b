// What a saved reply does once the reply is sent: shown before, so that nothing happens unasked.

import { X } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { LOCALE } from '../../words/locale.ts'
import { rich, t } from '../../words/t.ts'
import type { Afterwards } from './drafts.ts'

const namesOf = (names: string[]): string => new Intl.ListFormat(LOCALE).format(names)

export const afterwardsWords = ({ tags, assignee, closes }: Afterwards): string[] => [
  ...(tags.length > 0 ? [t`add ${namesOf(tags.map(({ name }) => name))}`] : []),
  ...(assignee ? [t`assign to ${assignee.nickname}`] : []),
  ...(closes ? ['close'] : []),
]

const AfterwardsLine = ({ after, onRemove }: { after: Afterwards; onRemove: () => void }) => (
  <p className="composer__after" role="status">
    <span className="grow" dir="auto">
      {rich`After sending: ${afterwardsWords(after).join(', ')}`}
    </span>
    <IconButton icon={X} size="small" label={t`Only send the reply`} onClick={onRemove} />
  </p>
)

export default AfterwardsLine
