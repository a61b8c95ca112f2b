// Puts a saved reply into the field where the cursor is, with the customer's values, and remembers what follows it.
import { MessageSquareText } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useApi } from '../../state/session.tsx'
import type { ConversationDetails, SavedReply, UsedReply } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { SavedReplies } from './use-saved-reply.ts'

const SavedReplyList = lazy(() => import('./saved-replies.tsx'))

export const SavedReplyButton = ({
  saved: { field, isOpen, setOpen, insert },
  conversation: { id, channel },
}: {
  saved: SavedReplies
  conversation: ConversationDetails['conversation']
}) => {
  const api = useApi()
  const put = (text: string, used: UsedReply | null): void => {
    setOpen(false)
    insert(text, used)
  }
  const pick = async (reply: SavedReply): Promise<void> => {
    try {
      const used = await api.post<UsedReply>(`/conversations/${id}/saved-replies/${reply.id}/use`)
      put(used.body, used)
    } catch (error) {
      toastError(error)
    }
  }
  return (
    <Popover
      label={t`Saved replies`}
      side="top"
      align="start"
      isFlush
      isOpen={isOpen}
      onOpenChange={setOpen}
      finalFocus={() => field.current}
      trigger={<IconButton icon={MessageSquareText} label={t`Saved replies`} keys="/" />}
    >
      <Suspense>
        <SavedReplyList
          channel={channel}
          onPick={(reply) => void pick(reply)}
          onSlash={() => put('/', null)}
        />
      </Suspense>
    </Popover>
  )
}
