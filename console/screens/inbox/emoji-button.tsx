// Puts an emoji into the reply or note where the cursor is.
import { Smile } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { t } from '../../words/t.ts'
import type { Draft } from './drafts.ts'
import type { Fields } from './use-send.ts'

const EmojiPicker = lazy(() => import('./emoji-picker.tsx'))

export const EmojiButton = ({
  fields: { field, rich },
  draft,
  takeUp,
}: {
  fields: Fields
  draft: Draft
  takeUp: (draft: Draft) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const insert = (emoji: string): void => {
    setOpen(false)
    if (rich.current) {
      takeUp({ ...draft, ...rich.current.inserted(emoji) })
      return
    }
    const { mode } = draft
    const text = draft[mode]
    const { selectionStart: start, selectionEnd: end } = field.current ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    }
    takeUp({ ...draft, [mode]: text.slice(0, start) + emoji + text.slice(end) })
    const after = start + emoji.length
    setTimeout(() => field.current?.setSelectionRange(after, after))
  }
  return (
    <Popover
      label={t`Emoji`}
      side="top"
      align="start"
      isFlush
      isOpen={isOpen}
      onOpenChange={setOpen}
      finalFocus={() => field.current}
      trigger={<IconButton icon={Smile} label={t`Insert an emoji`} />}
    >
      <Suspense>
        <EmojiPicker onPick={insert} />
      </Suspense>
    </Popover>
  )
}
