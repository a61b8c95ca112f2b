// The run behind a line of a flow: its steps, and why this flow started and others didn't.
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../state/api.ts'
import { dateTimeOf, fullMoment, timeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { causeWords, passedOverWords, type RunStep, stepAbout, stepWords } from './run-words.ts'

type Run = {
  id: string
  flowName: string
  version: number | null
  status: string
  endMessage: string | null
  waiting: { for: string; until: string | null } | null
  cause: { on?: string; passedOver?: { flowId: string; because: string }[] } | null
  steps: RunStep[]
}

const FlowRun = ({ runId }: { runId: string }) => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: keys.flowRun(api.workspaceId, runId),
    queryFn: ({ signal }) => api.get<{ run: Run }>(`/flow-runs/${runId}`, {}, signal),
  })
  if (error instanceof ApiError && error.status === 404)
    return <p className="flow-run text-soft text-small">{t`This run is no longer available.`}</p>
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label={t`Loading run`} />
  const { run } = data
  const { flowName, version, steps } = run
  return (
    <div className="flow-run stack stack--tight text-small">
      <Why run={run} />
      <ol className="stack stack--tight">
        {/* How it ended is said below. */}
        {steps
          .filter(({ outcome }) => outcome !== 'ended')
          .map((step) => (
            <StepLine key={step.seq} step={step} />
          ))}
      </ol>
      {steps.length === 0 && <p className="text-soft">{t`Steps are kept for 90 days.`}</p>}
      <p className="text-soft">
        <bdi>{flowName}</bdi>
        {version !== null && t`, version ${version}`} · {statusOf(run)}
      </p>
    </div>
  )
}

const statusOf = ({ status, endMessage, waiting }: Run): string => {
  if (status !== 'running') return endMessage ?? t`Ended`
  const what = waiting?.for === 'reply' ? t`Waiting for a reply` : waiting ? t`Waiting` : t`Running`
  return waiting?.until ? t`${what} until ${dateTimeOf(waiting.until)}` : what
}

const StepLine = ({ step }: { step: RunStep }) => {
  const about = stepAbout(step)
  return (
    <li className="row row--top">
      <time
        className="text-soft numeric"
        dateTime={step.createdAt}
        title={`${fullMoment(step.createdAt)}${step.stepId === null ? '' : t`, step ${step.stepId}`}`}
      >
        {timeOf(step.createdAt)}
      </time>
      <span className={step.outcome === 'failed' ? 'grow text-danger' : 'grow'}>
        {stepWords(step)}
        {about !== null && (
          <>
            {': '}
            <bdi>{about}</bdi>
          </>
        )}
      </span>
    </li>
  )
}

const Why = ({ run: { cause } }: { run: Run }) => {
  const api = useApi()
  const passedOver = cause?.passedOver ?? []
  const flows = useQuery({
    queryKey: keys.flowList(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ flows: { id: string; name: string }[] }>('/flows', {}, signal),
    enabled: passedOver.length > 0,
  })
  const words = cause?.on ? causeWords(cause.on) : null
  const nameOf = (flowId: string) =>
    flows.data?.flows.find(({ id }) => id === flowId)?.name ?? t`Another flow`
  return (
    <>
      {words && <p>{words}</p>}
      {passedOver.map(({ flowId, because }) => (
        <p key={flowId} className="text-soft">
          {rich`${<bdi>{nameOf(flowId)}</bdi>} didn’t start: ${passedOverWords(because)}`}
        </p>
      ))}
    </>
  )
}

export default FlowRun
