// Below a message that is not sent: why, how long it can be undone, and what to do about it. Loaded when one is written.
import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Clock, Pencil, RotateCcw, Send, Trash2, Undo2, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ApiError } from '../../state/api.ts'
import { refreshConversation } from '../../state/conversations.ts'
import { dropHeld } from '../../state/held.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { putMessage, type Timeline } from '../../state/timeline.ts'
import type { HeldMessage, Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { Outbox, Outgoing } from './outbox.ts'
import { quotedOf } from './quoted-message.tsx'
import { giveBack } from './returned.ts'

type Props = { conversationId: string; item: Outgoing; outbox: Outbox }

const COLLISION = 'REPLY_COLLISION'
const BEGINNING_MAX = 140

const rowsOf = (client: ReturnType<typeof useQueryClient>, w: string, conversationId: string) =>
  client.getQueryData<Timeline>(keys.timeline(w, conversationId))?.rows ?? []

/** What can be done with the message, wherever it is: in this browser or on the server. */
const useUnsent = ({ conversationId, item, outbox }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const w = api.workspaceId
  const [isBusy, setBusy] = useState(false)

  const remove = async (): Promise<boolean> => {
    if (!item.heldId) {
      outbox.discard(item.key)
      return true
    }
    setBusy(true)
    try {
      await api.post<{ held: HeldMessage }>(`/outbox/${item.heldId}/undo`)
      dropHeld(client, w, item.heldId)
      return true
    } catch (error) {
      toastError(error)
      // It was sent, or undone in another tab.
      if (error instanceof ApiError && error.code === 'TOO_LATE_TO_UNDO') {
        dropHeld(client, w, item.heldId)
        refreshConversation(client, w, conversationId)
      }
      return false
    } finally {
      setBusy(false)
    }
  }

  return {
    isBusy,
    discard: () => void remove(),
    takeBack: async (): Promise<void> => {
      const quoted = rowsOf(client, w, conversationId).find(
        (entry) => entry.kind === 'message' && entry.message.id === item.quoted?.id,
      )
      if (!(await remove())) return
      giveBack(conversationId, {
        ...item,
        ...(item.email && (await import('./email/taken-back.ts')).takenBack(item.email, item.attachments)),
        quoted: quoted?.kind === 'message' ? quotedOf(quoted.message) : item.quoted,
      })
    },
    send: async (): Promise<void> => {
      if (!item.heldId) return outbox.retry(item.key)
      setBusy(true)
      try {
        const { message } = await api.post<{ message: Message }>(`/outbox/${item.heldId}/send`)
        dropHeld(client, w, item.heldId)
        putMessage(client, w, message)
      } catch (error) {
        toastError(error)
        void client.invalidateQueries({ queryKey: keys.outbox(w) })
      } finally {
        setBusy(false)
        refreshConversation(client, w, conversationId)
      }
    },
  }
}

const Unsent = (props: Props) => {
  const unsent = useUnsent(props)
  const { item } = props
  if (item.state === 'held') return <HeldFoot item={item} {...unsent} />
  const isWaiting = item.state === 'waiting'
  const isCollision = item.code === COLLISION
  return (
    <div
      className={classNames('failure failure--end', isWaiting && 'failure--waiting')}
      role={isWaiting ? 'status' : 'alert'}
    >
      {isWaiting ? <WifiOff size={14} aria-hidden /> : <CircleAlert size={14} aria-hidden />}
      <span>
        {isWaiting ? t`Not sent yet. It will be sent when you’re back online.` : item.problem}
        {isCollision && <OthersReply {...props} />}
      </span>
      {!isWaiting && (
        <Button
          size="small"
          icon={isCollision ? Send : RotateCcw}
          isBusy={unsent.isBusy}
          onClick={() => void unsent.send()}
        >
          {isCollision ? t`Send anyway` : t`Try again`}
        </Button>
      )}
      <Button size="small" icon={Pencil} onClick={() => void unsent.takeBack()}>
        {isCollision ? t`Keep editing` : t`Edit`}
      </Button>
      {!isCollision && (
        <Button size="small" variant="ghost" icon={Trash2} onClick={unsent.discard}>
          {t`Discard`}
        </Button>
      )}
    </div>
  )
}
export default Unsent

/** The beginning of what somebody else has replied since. */
const OthersReply = ({ conversationId, item }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const reply = rowsOf(client, api.workspaceId, conversationId).find(
    (entry) =>
      entry.kind === 'message' &&
      ['agent', 'automation'].includes(entry.message.senderType) &&
      item.problem?.startsWith(`${entry.message.sender.nickname} replied`),
  )
  if (reply?.kind !== 'message') return null
  const letters = [...reply.message.body]
  return (
    <q className="failure__quote" dir="auto">
      {letters.length > BEGINNING_MAX ? `${letters.slice(0, BEGINNING_MAX).join('')}…` : reply.message.body}
    </q>
  )
}

const secondsTo = (dueMs = 0): number => Math.max(1, Math.ceil((dueMs - Date.now()) / 1000))

const HeldFoot = ({
  item: { dueMs, thenClose },
  isBusy,
  takeBack,
  send,
}: { item: Outgoing } & ReturnType<typeof useUnsent>) => {
  const [seconds, setSeconds] = useState(() => secondsTo(dueMs))
  const [first] = useState(seconds)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsTo(dueMs)), 250)
    return () => clearInterval(timer)
  }, [dueMs])
  return (
    <footer className="message__foot message__foot--held">
      <span className="delivery" aria-hidden>
        <Clock size={14} /> {thenClose ? t`Sending and closing in ${seconds} s` : t`Sending in ${seconds} s`}
      </span>
      <span className="hidden-visually" role="status">
        {t`Sending in ${first} seconds. You can undo this.`}
      </span>
      <Button size="small" icon={Undo2} isBusy={isBusy} onClick={() => void takeBack()}>
        {t`Undo`}
      </Button>
      <Button size="small" variant="ghost" onClick={() => void send()}>
        {t`Send now`}
      </Button>
    </footer>
  )
}
