// A few conversations that are assumed to have helped, to be checked by a person.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { dateOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { AiSample as Sample, Sampled } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Section } from '../../ui/page.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'

/** Nothing while there is nothing to check. */
export const AiSample = () => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.aiSample(api.workspaceId),
    queryFn: ({ signal }) => api.get<Sample>('/ai-report/sample', {}, signal),
  })
  if (!data || data.episodes.length === 0) return null
  const open = data.episodes.filter(({ isRight }) => isRight === null)
  const checked = data.episodes.filter(({ isRight }) => isRight !== null)
  return (
    <Section
      title={t`Weekly check`}
      about={t`A random sample of what is assumed helpful, from the last four full weeks. Were the answers right? What you find is shown beside the number.`}
    >
      {open.length > 0 ? (
        <Episodes label={t`To check`} episodes={open} />
      ) : (
        <p className="text-soft">{t`You’ve checked everything. The next sample comes on Monday.`}</p>
      )}
      {checked.length > 0 && (
        <Disclosure title={t`Checked (${checked.length})`}>
          <Episodes label={t`Checked`} episodes={checked} />
        </Disclosure>
      )}
    </Section>
  )
}

const Episodes = ({ label, episodes }: { label: string; episodes: Sampled[] }) => (
  <ItemList label={label}>
    {episodes.map((episode) => (
      <Episode key={`${episode.conversationId} ${episode.id}`} episode={episode} />
    ))}
  </ItemList>
)

const Episode = ({ episode }: { episode: Sampled }) => {
  const api = useApi()
  const client = useQueryClient()
  const { id, conversationId, contactName, endedAt, question, answer, isRight } = episode
  const judge = useMutation({
    mutationFn: (isRight: boolean) =>
      api.put<Sample>(`/ai-report/sample/${conversationId}/${id}`, { isRight }),
    onSuccess: async (sample) => {
      client.setQueryData(keys.aiSample(api.workspaceId), sample)
      await client.invalidateQueries({ queryKey: keys.aiReports(api.workspaceId) })
    },
    onError: toastError,
  })
  const choose = (value: boolean, words: string, icon: typeof Check) => (
    <Button
      size="small"
      icon={icon}
      aria-label={`${words}: ${contactName}`}
      isBusy={judge.isPending && judge.variables === value}
      disabled={judge.isPending || isRight === value}
      onClick={() => judge.mutate(value)}
    >
      {words}
    </Button>
  )
  return (
    <Item
      title={
        <span className="row">
          <Link to="/inbox/$view/$conversationId" params={{ view: 'all', conversationId }}>
            <bdi>{contactName}</bdi>
          </Link>
          {isRight !== null && (
            <Badge tone={isRight ? 'ok' : 'danger'}>{isRight ? t`Right` : t`Wrong`}</Badge>
          )}
        </span>
      }
      about={
        <span className="stack stack--tight">
          <span>{rich`Ended ${dateOf(endedAt)}`}</span>
          {question ? (
            <>
              <span className="ai-said user-text" dir="auto">
                {rich`Asked: ${question}`}
              </span>
              <span className="ai-said user-text" dir="auto">
                {rich`Answered: ${answer ?? t`no longer available`}`}
              </span>
            </>
          ) : (
            <span>{t`Open the conversation to read what was said.`}</span>
          )}
        </span>
      }
      actions={
        <span className="row">
          {choose(true, t`Right`, Check)}
          {choose(false, t`Wrong`, X)}
        </span>
      }
    />
  )
}
