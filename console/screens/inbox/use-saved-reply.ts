// How the composer takes up a saved reply: its text goes where the cursor is, and what it does waits for the sending.
import { type RefObject, useState } from 'react'
import { valueName } from '../../state/saved-replies.ts'
import type { UsedReply } from '../../state/types.ts'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { Afterwards, Draft } from './drafts.ts'
import type { RichField } from './email/handle.ts'
import type { Actions } from './use-actions.ts'

const doesSomething = ({ tags, assignee, closes }: Afterwards): boolean =>
  tags.length > 0 || assignee !== null || closes

type Options = {
  draft: Draft
  field: RefObject<HTMLTextAreaElement | null>
  rich: RefObject<RichField | null>
  takeUp: (draft: Draft) => void
  actions: Actions | null
}

export const useSavedReply = ({ draft, field, rich, takeUp, actions }: Options) => {
  const [isOpen, setOpen] = useState(false)

  const insert = (text: string, used: UsedReply | null): void => {
    const does = used !== null && doesSomething(used)
    if (used && text === '') {
      void actions?.followUp(used)
      return
    }
    const after = does ? used : draft.after
    if (used && used.missing.length > 0) toast(missingWords(used.missing))
    if (rich.current) {
      takeUp({ ...draft, ...rich.current.inserted(text), mode: 'reply', after })
      return
    }
    const { selectionStart: start, selectionEnd: end } = field.current ?? {
      selectionStart: draft.reply.length,
      selectionEnd: draft.reply.length,
    }
    const reply = draft.reply.slice(0, start) + text + draft.reply.slice(end)
    takeUp({ ...draft, mode: 'reply', reply, after })
    setTimeout(() => field.current?.setSelectionRange(start + text.length, start + text.length))
  }

  return { field, isOpen, setOpen, open: () => setOpen(true), insert }
}

export type SavedReplies = ReturnType<typeof useSavedReply>

const missingWords = (paths: string[]): string =>
  t`Not known: ${paths.map((path) => valueName(path)).join(', ')}. Check the text.`
