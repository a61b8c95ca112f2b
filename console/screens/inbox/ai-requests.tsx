// Exactly what was sent to a model in a turn, and what came back, part by part.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { costOf, secondsOf, tokensOf } from '../../state/amounts.ts'
import { timeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { AiRequest, AiTurn } from '../../state/types.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'

const AiRequests = ({ turnId }: { turnId: string }) => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: keys.aiRequests(api.workspaceId, turnId),
    queryFn: ({ signal }) => api.get<{ requests: AiRequest[] }>(`/ai-turns/${turnId}/requests`, {}, signal),
  })
  const turn = useQuery({
    queryKey: keys.aiTurn(api.workspaceId, turnId),
    queryFn: ({ signal }) => api.get<{ turn: AiTurn }>(`/ai-turns/${turnId}`, {}, signal),
  })
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label={t`Loading requests`} />
  const currency = turn.data?.turn.currency ?? null
  return (
    <div className="stack">
      <p className="text-soft">{t`Kept for 30 days. What was redacted is not in it.`}</p>
      {data.requests.map((request, at) => (
        <Exchange key={request.id} request={request} number={at + 1} currency={currency} />
      ))}
    </div>
  )
}

const Exchange = ({
  request: { model, request, response, problem, tries, createdAt, durationMs, ...row },
  number,
  currency,
}: {
  request: AiRequest
  number: number
  currency: string | null
}) => (
  <section className="stack stack--tight" aria-label={t`Request ${number}`}>
    <p className="text-strong">
      {number}. <bdi>{model}</bdi>
    </p>
    <p className="text-soft">
      {[
        timeOf(createdAt),
        secondsOf(durationMs),
        tokensOf(row.inputTokens + row.outputTokens),
        ...(currency === null ? [] : [costOf(row.cost, currency)]),
        ...(tries > 1 ? [t`${tries} tries`] : []),
      ].join(' · ')}
    </p>
    {problem !== null && <p className="text-danger">{rich`Failed: ${<bdi>{problem}</bdi>}`}</p>}
    <Part title={t`Sent`} value={request} />
    {response !== null && <Part title={t`Came back`} value={response} />}
  </section>
)

const Part = ({ title, value }: { title: string; value: unknown }) => (
  <details>
    <summary>{title}</summary>
    <div className="ai-json">
      <Readable value={value} depth={0} />
    </div>
    <details>
      <summary>{t`As JSON`}</summary>
      <CopyField label={t`${title}, as JSON`} value={JSON.stringify(value, null, 2)} />
    </details>
  </details>
)

/** Deeper parts are shown as JSON. */
const DEPTH_MAX = 5

/** Text with its line breaks, lists as lists, and each part under its name. */
const Readable = ({ value, depth }: { value: unknown; depth: number }): ReactNode => {
  if (typeof value === 'string') return <p className="ai-json__text">{value}</p>
  if (typeof value !== 'object' || value === null) return <code>{String(value)}</code>
  if (depth >= DEPTH_MAX) return <p className="ai-json__text">{JSON.stringify(value)}</p>
  const parts = Object.entries(value)
  if (parts.length === 0) return <span className="text-soft">{t`Empty`}</span>
  return (
    <dl className="ai-json__parts">
      {parts.map(([name, part]) => (
        <div key={name}>
          <dt className="text-soft">{Array.isArray(value) ? Number(name) + 1 : name}</dt>
          <dd>
            <Readable value={part} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

export default AiRequests
