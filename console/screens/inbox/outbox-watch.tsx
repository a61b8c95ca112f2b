// Wherever the person is: goes on with what was not sent, offers to undo what they have just sent elsewhere, and says
// what could not be sent.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { dropHeld, type Held, heldQuery } from '../../state/held.ts'
import { useConnectionState } from '../../state/live.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { asOutgoing, resumeOutboxes } from './outbox.ts'
import { giveBack } from './returned.ts'

const OutboxWatch = () => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const connection = useConnectionState()
  const { view = 'all', conversationId: openId } = useParams({ strict: false })
  const { data: held } = useQuery(heldQuery(api))
  const told = useRef(new Set<string>())

  useEffect(() => {
    const resume = (): void => resumeOutboxes(client, api)
    if (connection === 'live') resume()
    window.addEventListener('online', resume)
    return () => window.removeEventListener('online', resume)
  }, [client, api, connection])

  const open = useCallback(
    (conversationId: string) =>
      void navigate({ to: '/inbox/$view/$conversationId', params: { view, conversationId } }),
    [navigate, view],
  )
  const elsewhere = (held ?? []).filter(({ conversationId }) => conversationId !== openId)
  useEffect(() => {
    const undo = async (one: Held): Promise<void> => {
      try {
        await api.post(`/outbox/${one.id}/undo`)
        const item = asOutgoing(one)
        const email =
          item.email && (await import('./email/taken-back.ts')).takenBack(item.email, item.attachments)
        giveBack(one.conversationId, { ...item, ...email })
        open(one.conversationId)
      } catch (error) {
        toastError(error)
      }
      dropHeld(client, api.workspaceId, one.id)
    }
    for (const one of elsewhere) {
      const shownMs = one.dueMs - Date.now()
      if (one.problem || shownMs <= 0 || told.current.has(one.id)) continue
      told.current.add(one.id)
      toast(t`Sending to ${one.contactName ?? t`the customer`}…`, {
        shownMs,
        action: { label: t`Undo`, run: () => void undo(one) },
      })
    }
  })

  const failed = elsewhere.find(({ problem }) => problem)
  if (!failed) return null
  return (
    <div className="banner banner--warn banner--bar" role="alert">
      <span>
        {rich`Your message to ${<bdi>{failed.contactName ?? t`a customer`}</bdi>} wasn’t sent. ${failed.problem?.message}`}
      </span>
      <Button size="small" onClick={() => open(failed.conversationId)}>
        {t`Show`}
      </Button>
    </div>
  )
}
export default OutboxWatch
