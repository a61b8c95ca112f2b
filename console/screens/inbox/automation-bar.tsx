// Under the head of a conversation: the flow that speaks there, or why none does, and what to do about it.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pause, Workflow } from 'lucide-react'
import { useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { ConversationAutomation } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { pauseWords, runWords } from './automation-words.ts'
import { Proposals } from './proposals.tsx'

/** For a conversation in which automation took part. */
const AutomationBar = ({ conversationId: id }: { conversationId: string }) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.automation(api.workspaceId, id),
    queryFn: ({ signal }) => api.get<ConversationAutomation>(`/conversations/${id}/automation`, {}, signal),
  })
  const dialog = data?.runs.find(({ isDialog }) => isDialog)
  return (
    <>
      {data?.pause ? (
        <Paused conversationId={id} pause={data.pause} />
      ) : (
        dialog && <Speaking conversationId={id} run={dialog} />
      )}
      <Proposals conversationId={id} />
    </>
  )
}

export default AutomationBar

/** Calls the server, and shows what it answers or what is new then. */
const useAct = (conversationId: string) => {
  const api = useApi()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const act = async (path: string): Promise<void> => {
    setBusy(true)
    try {
      await api.post(path)
    } catch (error) {
      toastError(error)
    } finally {
      await client.invalidateQueries({ queryKey: keys.automation(api.workspaceId, conversationId) })
      setBusy(false)
    }
  }
  return { act, isBusy }
}

const Speaking = ({
  conversationId,
  run,
}: {
  conversationId: string
  run: ConversationAutomation['runs'][number]
}) => {
  const { act, isBusy } = useAct(conversationId)
  return (
    <section className="automation-bar" aria-label={t`Automation`}>
      <Workflow size={16} aria-hidden />
      <p className="automation-bar__says">
        <bdi>{run.flowName}</bdi> {runWords(run)}
      </p>
      <Button
        size="small"
        variant="ghost"
        disabled={isBusy}
        data-tip={t`End this flow. Others may start.`}
        onClick={() => void act(`/flow-runs/${run.id}/cancel`)}
      >
        {t`Stop`}
      </Button>
      <Button
        size="small"
        variant="secondary"
        disabled={isBusy}
        data-tip={t`Pause automation in this conversation`}
        onClick={() => void act(`/conversations/${conversationId}/automation/pause`)}
      >
        {t`Take over`}
      </Button>
    </section>
  )
}

const Paused = ({
  conversationId,
  pause,
}: {
  conversationId: string
  pause: NonNullable<ConversationAutomation['pause']>
}) => {
  const { act, isBusy } = useAct(conversationId)
  return (
    <section className="automation-bar" aria-label={t`Automation`}>
      <Pause size={16} aria-hidden />
      <p className="automation-bar__says">{pauseWords(pause)}</p>
      <Button
        size="small"
        variant="ghost"
        disabled={isBusy}
        data-tip={t`Let flows reply again`}
        onClick={() => void act(`/conversations/${conversationId}/automation/give-back`)}
      >
        {t`Resume`}
      </Button>
    </section>
  )
}
