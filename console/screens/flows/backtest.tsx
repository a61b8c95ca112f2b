// What the draft would have done with the conversations of the last 30 days, before it goes live.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Backtest as Result } from '../../../server/domain/flows/editor-schema.ts'
import { useApi } from '../../state/session.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { passedOverWords } from '../inbox/run-words.ts'
import type { FlowDraftStore } from './use-draft.ts'

const SAMPLES_SHOWN = 5

/** Nothing for flows that don't fit, which the checks explain. */
export const Backtest = ({ flowId, store }: { flowId: string; store: FlowDraftStore }) => {
  const api = useApi()
  const { data, error, isPending } = useQuery({
    queryKey: ['w', api.workspaceId, 'flow-backtest', flowId, store.get().revision],
    queryFn: async () => {
      await store.flush()
      return api.post<Result>(`/flows/${flowId}/backtest`)
    },
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  return (
    <section className="stack stack--tight" aria-label={t`Past conversations`}>
      <h3 className="field__label">{t`Past conversations`}</h3>
      {isPending && <Skeleton lines={1} label={t`Trying it on past conversations`} />}
      {error && <p className="text-soft text-small">{t`We couldn’t try it on past conversations.`}</p>}
      {data && <Findings result={data} />}
    </section>
  )
}

const Findings = ({ result }: { result: Result }) => {
  const { overtaken, passedOver, samples } = result
  return (
    <>
      <p>{backtestWords(result)}</p>
      {(overtaken.length > 0 || passedOver.length > 0) && (
        <ul className="text-soft text-small stack stack--tight">
          {overtaken.map(({ flowId, flowName, count }) => (
            <li key={flowId}>
              {rich`It would have started instead of ${<bdi>{flowName}</bdi>} ${timesWords(count)}.`}
            </li>
          ))}
          {passedOver.map(({ because, count }) => (
            <li key={because}>{passedWords(because, count)}</li>
          ))}
        </ul>
      )}
      {samples.length > 0 && (
        <p className="row row--wrap text-small">
          <span className="text-soft">{t`Latest:`}</span>
          {samples.slice(0, SAMPLES_SHOWN).map((conversationId, at) => (
            <Link
              key={conversationId}
              to="/inbox/$view/$conversationId"
              params={{ view: 'all', conversationId }}
              target="_blank"
            >
              {rich`Conversation ${at + 1}`}
            </Link>
          ))}
        </p>
      )}
    </>
  )
}

const timesWords = (count: number): string => (count === 1 ? t`once` : t`${count} times`)

/** How often it would have started, and in how many conversations it was tried. */
export const backtestWords = ({ days, examined, started }: Result): string => {
  if (examined === 0) return t`There are no conversations of the last ${days} days to try it on.`
  const of = examined === 1 ? t`in the only conversation` : t`in ${started} of ${examined} conversations`
  if (started === 0) return t`Over the last ${days} days, this would never have started.`
  return t`Over the last ${days} days, this would have started ${of}.`
}

const passedWords = (because: string, count: number): string =>
  because === 'earlier_flow'
    ? t`A flow above it in the list would have started first ${timesWords(count)}. To change that, move this flow up in the list of flows.`
    : t`It wouldn’t have started ${timesWords(count)}, because ${passedOverWords(because)}.`
