import { useApi } from '../../state/session.tsx'
import type { ConversationDetails } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import { lengthMax } from './composer-parts.tsx'
import { useDraft } from './drafts.ts'
import { useReplyWindow } from './reply-window.ts'
import { NOTE_BOUNDS, useUploads } from './uploads.ts'

/** The reply or note being written, and whether it can be sent. */
export const useWriting = ({
  conversation,
  attachmentsAllowed,
  canReply,
  ...details
}: ConversationDetails) => {
  const [draft, change] = useDraft(conversation.id)
  const api = useApi()
  const uploads = {
    reply: useUploads(api, attachmentsAllowed, conversation.id),
    note: useUploads(api, NOTE_BOUNDS, t`${conversation.id} note`),
  }
  const replyWindow = useReplyWindow(details.replyWindow)
  const { mode } = draft
  const isReply = mode === 'reply'
  const isEmail = isReply && conversation.channel === 'email'
  const text = draft[mode]
  const length = [...text].length
  const files = uploads[mode]
  const { ready } = files
  const isBlocked = isReply && (replyWindow.isClosed || !canReply)
  const isForward = isEmail && draft.mail?.quote?.as === 'forward'
  const hasSomething = text.trim() !== '' || ready.length > 0 || isForward || (isEmail && draft.html !== null)
  const fits = length <= lengthMax(conversation.channel, mode)
  const canSend = hasSomething && fits && !isBlocked && !files.isUploading
  return {
    ...{
      draft,
      change,
      text,
      files,
      uploads,
      ready,
      length,
      replyWindow,
      isReply,
      isEmail,
      isBlocked,
      canSend,
    },
  }
}
