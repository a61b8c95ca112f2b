// One flow: the editor, its tests, versions and runs.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import type { ApiError } from '../../state/api.ts'
import { type FlowDetails, flowQuery } from '../../state/flows.ts'
import { useSession } from '../../state/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { isSound } from './definition/is-sound.ts'
import { FlowEditor } from './flow-editor.tsx'
import { loadStyles } from './styles.ts'

await loadStyles()

const back = <BackLink to="/flows">{t`Flows`}</BackLink>

export const FlowPage = () => {
  const { flowId } = useParams({ from: '/signed/flows/$flowId' })
  const { api } = useSession()
  const { data, error, refetch } = useQuery(flowQuery(api, flowId))
  if (data) return <Loaded key={flowId} flow={data} />
  return (
    <Page title={t`Flow`} back={back}>
      {(error as ApiError | null)?.status === 404 ? (
        <EmptyState
          icon={Workflow}
          title={t`Flow not found`}
          action={<ButtonLink to="/flows">{t`All flows`}</ButtonLink>}
        >
          {t`It may have been deleted.`}
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} label={t`Loading flow`} />
      )}
    </Page>
  )
}

const Loaded = ({ flow }: { flow: FlowDetails }) => {
  const search = useSearch({ from: '/signed/flows/$flowId' })
  const navigate = useNavigate({ from: '/flows/$flowId' })
  if (!isSound(flow.draft))
    return (
      <Page title={flow.name} back={back}>
        <EmptyState title={t`This draft can’t be shown`}>
          {t`It was stored by another version of Foyer. Restore a published version, or import the flow again.`}
        </EmptyState>
      </Page>
    )
  return (
    <FlowEditor
      flow={flow}
      back={back}
      tab={search.tab ?? 'outline'}
      onTab={(tab) =>
        void navigate({ search: tab === 'outline' ? {} : { tab: tab as typeof search.tab }, replace: true })
      }
    />
  )
}
