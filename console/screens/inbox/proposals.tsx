// What the AI agent would do if a person says so, above the thread.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { OpenProposal, OpenProposals } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import '../../ui/proposals.css'
import { rich, t } from '../../words/t.ts'

/** While one is being done: its end has no event of its own. */
const REFETCH_MS = 2_000

export const Proposals = ({ conversationId: id }: { conversationId: string }) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.proposals(api.workspaceId, id),
    queryFn: ({ signal }) => api.get<OpenProposals>(`/conversations/${id}/proposals`, {}, signal),
    refetchInterval: ({ state }) =>
      state.data?.proposals.some((one) => one.state === 'confirmed') ? REFETCH_MS : false,
  })
  return data?.proposals.map((proposal) => (
    <Proposal key={proposal.id} conversationId={id} proposal={proposal} />
  ))
}

const Proposal = ({ conversationId, proposal }: { conversationId: string; proposal: OpenProposal }) => {
  const { id, name, values, state, expiresAt } = proposal
  const api = useApi()
  const client = useQueryClient()
  const queryKey = keys.proposals(api.workspaceId, conversationId)
  const decide = useMutation({
    mutationFn: (verb: 'confirm' | 'decline') =>
      api.post<OpenProposals>(`/conversations/${conversationId}/proposals/${id}/${verb}`),
    onSuccess: (answer) => {
      client.setQueryData(queryKey, answer)
      // Who decided has a line in the thread.
      void client.invalidateQueries({ queryKey: keys.timeline(api.workspaceId, conversationId) })
    },
    onError: (error) => {
      toastError(error)
      void client.invalidateQueries({ queryKey })
    },
  })
  return (
    <section className="proposal" aria-label={t`Proposed by the AI agent`}>
      <Bot size={16} aria-hidden />
      <div className="proposal__says">
        <p>{rich`The AI agent proposes: ${<bdi className="text-strong">{name}</bdi>}`}</p>
        {values.length > 0 && (
          <dl className="proposal__values">
            {values.map(({ label, value }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {state === 'confirmed' ? (
        <p className="text-soft" role="status">
          {t`In progress…`}
        </p>
      ) : (
        <div className="row" title={t`Expires ${fullMoment(expiresAt)}`}>
          <Button
            size="small"
            variant="ghost"
            disabled={decide.isPending}
            onClick={() => decide.mutate('decline')}
          >
            {t`Decline`}
          </Button>
          <Button
            size="small"
            variant="primary"
            disabled={decide.isPending}
            data-tip={t`The customer is told when it’s done`}
            onClick={() => decide.mutate('confirm')}
          >
            {t`Do it`}
          </Button>
        </div>
      )}
    </section>
  )
}
