// Why the AI agent said or decided something: what it looked for, from what, at what cost, and what was sent to a model.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FlaskConical, ThumbsDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { costOf, secondsOf, tokensOf } from '../../state/amounts.ts'
import { ApiError } from '../../state/api.ts'
import { fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi, useSession } from '../../state/session.tsx'
import type { AiTurn as Turn } from '../../state/types.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { handOverWords, OUTCOMES } from './ai-words.ts'

const AiRequests = lazy(() => import('./ai-requests.tsx'))

const AiTurn = ({ turnId }: { turnId: string }) => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: keys.aiTurn(api.workspaceId, turnId),
    queryFn: ({ signal }) => api.get<{ turn: Turn }>(`/ai-turns/${turnId}`, {}, signal),
  })
  if (error instanceof ApiError && error.status === 404)
    return <p className="flow-run text-soft text-small">{t`Details are kept for 90 days.`}</p>
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label={t`Loading details`} />
  const { turn } = data
  return (
    <div className="flow-run stack stack--tight text-small">
      <p className="text-strong">
        {turn.reason === null ? outcomeOf(turn) : t`Handed over: ${handOverWords(turn.reason)}`}
      </p>
      {turn.question !== null && turn.question !== '' && (
        <p className="user-text">
          <span className="text-soft">{t`Looked for:`} </span>
          <bdi>{turn.question}</bdi>
        </p>
      )}
      <Sources turn={turn} />
      <p className="text-soft">{factsOf(turn).join(' · ')}</p>
      <Mark turn={turn} />
      <Sent turn={turn} />
    </div>
  )
}

const outcomeOf = ({ outcome }: Turn): string => (outcome === null ? t`Still thinking` : OUTCOMES[outcome])

const CONFIDENCE = { high: t`Confident`, middle: t`Less confident` }

const factsOf = (turn: Turn): string[] => {
  const tokens = turn.inputTokens + turn.outputTokens
  return [
    ...(turn.confidence === null ? [] : [CONFIDENCE[turn.confidence]]),
    ...(turn.version === null ? [] : [t`Instructions version ${turn.version}`]),
    ...(turn.durationMs === null ? [] : [secondsOf(turn.durationMs)]),
    ...(tokens === 0 ? [t`No model`] : [tokensOf(tokens)]),
    ...(tokens === 0 || turn.currency === null ? [] : [costOf(turn.cost, turn.currency)]),
  ]
}

const Sources = ({ turn: { sources } }: { turn: Turn }) =>
  sources.length > 0 && (
    <ul className="stack stack--tight">
      {sources.map(({ type, id, title, quote }) => (
        <li key={id}>
          <Link
            to="/knowledge/$kind/$itemId"
            params={{ kind: type === 'answer' ? 'answers' : 'articles', itemId: id }}
          >
            <bdi>{title}</bdi>
          </Link>
          <blockquote className="ai-quote">
            <bdi>{quote}</bdi>
          </blockquote>
        </li>
      ))}
    </ul>
  )

const Mark = ({ turn: { id, wrong } }: { turn: Turn }) => {
  const api = useApi()
  const { can } = useSession()
  const client = useQueryClient()
  const mark = useMutation({
    mutationFn: (isWrong: boolean) => api.put<{ turn: Turn }>(`/ai-turns/${id}/mark`, { isWrong }),
    onSuccess: (answer) => client.setQueryData(keys.aiTurn(api.workspaceId, id), answer),
    onError: toastError,
  })
  return (
    <div className="row row--wrap">
      {wrong && (
        <span className="text-danger" title={fullMoment(wrong.at)}>
          {t`Marked as wrong`}
          {wrong.by !== null && t` by ${wrong.by}`}
        </span>
      )}
      <Button size="small" isBusy={mark.isPending} onClick={() => mark.mutate(wrong === null)}>
        {wrong === null && <ThumbsDown size={13} aria-hidden />}
        {wrong === null ? t`Mark as wrong` : t`Undo`}
      </Button>
      {can('manage_automation') && (
        <ButtonLink
          size="small"
          icon={FlaskConical}
          to="/settings/ai-agent/tests/$testId"
          params={{ testId: 'new' }}
          search={{ turn: id }}
        >
          {t`Keep as test`}
        </ButtonLink>
      )}
    </div>
  )
}

/** What was sent is loaded when it is opened, by those who may see it. */
const Sent = ({ turn: { id, requestCount } }: { turn: Turn }) => {
  const { can } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (requestCount === 0 || !can('manage_automation')) return null
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {rich`Exactly what was sent (${requestCount === 1 ? t`1 request` : t`${requestCount} requests`})`}
      </summary>
      {isOpen && (
        <Suspense fallback={<Skeleton />}>
          <AiRequests turnId={id} />
        </Suspense>
      )}
    </details>
  )
}

export default AiTurn
