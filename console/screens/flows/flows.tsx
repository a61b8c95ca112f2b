// All flows. Dialogs are tried from the top, and the first that matches starts; background flows run beside them.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Plus, Upload, Workflow } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useCommands } from '../../state/commands.ts'
import { agoOf } from '../../state/dates.ts'
import { type FlowSummary, flowsChanged, flowsQuery } from '../../state/flows.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { importFlow } from './exchange.ts'
import { StateBadge } from './flow-state.tsx'
import { loadStyles } from './styles.ts'

await loadStyles()

const NewFlow = lazy(() => import('./new-flow.tsx'))

export const Flows = () => {
  const { api, can } = useSession()
  const { archived = false } = useSearch({ from: '/signed/flows' })
  const navigate = useNavigate({ from: '/flows' })
  const { data, error, refetch } = useQuery(flowsQuery(api, archived))
  const [isAdding, setAdding] = useState(false)
  const mayEdit = can('manage_automation')
  const file = useRef<HTMLInputElement>(null)
  const importing = useImport()
  const start = (): void => setAdding(true)
  useCommands(
    mayEdit
      ? [{ id: 'new flow', label: t`New flow`, group: t`Flows`, keys: 'n', icon: Plus, run: start }]
      : [],
  )
  const flows = data?.flows ?? []
  const actions = mayEdit && (
    <>
      <Button icon={Upload} isBusy={importing.isPending} onClick={() => file.current?.click()}>
        {t`Import`}
      </Button>
      <Button variant="primary" icon={Plus} onClick={start}>
        {t`New flow`}
      </Button>
    </>
  )
  return (
    <Page
      title={t`Flows`}
      about={t`Replies, questions and routing that run by themselves, until a teammate steps in.`}
      actions={actions}
    >
      <input
        ref={file}
        type="file"
        accept="application/json,.json"
        hidden
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.files?.[0]
          currentTarget.value = ''
          if (chosen) importing.mutate(chosen)
        }}
      />
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows />
      ) : flows.length === 0 ? (
        <EmptyState
          icon={Workflow}
          title={archived ? t`Nothing is archived` : t`No flows yet`}
          action={mayEdit && !archived && <Button onClick={start}>{t`New flow`}</Button>}
        >
          {archived
            ? t`Archived flows appear here.`
            : t`Start from a template, e.g. a welcome menu or out-of-hours reply.`}
        </EmptyState>
      ) : (
        <>
          <FlowList
            title={t`Dialogs`}
            about={t`Tried from the top. The first that matches starts.`}
            flows={flows}
            kind="dialog"
          />
          <FlowList
            title={t`Background flows`}
            about={t`Run beside dialogs and never write to the customer.`}
            flows={flows}
            kind="background"
          />
        </>
      )}
      {data && (
        <p>
          <Button
            variant="ghost"
            onClick={() => void navigate({ search: archived ? {} : { archived: true } })}
          >
            {archived ? t`Back to active flows` : t`Show archived flows`}
          </Button>
        </p>
      )}
      <Suspense>{isAdding && <NewFlow onClose={() => setAdding(false)} />}</Suspense>
    </Page>
  )
}

const useImport = () => {
  const { api } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (chosen: File) => importFlow(client, api, chosen),
    onSuccess: async ({ flowId, problems }) => {
      void flowsChanged(client, api.workspaceId)
      await navigate({ to: '/flows/$flowId', params: { flowId } })
      if (problems.length > 0)
        toast(
          problems.length === 1
            ? t`Imported. One step refers to what isn’t here.`
            : t`Imported. ${problems.length} steps refer to what isn’t here.`,
        )
    },
    onError: toastError,
  })
}

/** Moves a dialog in the order in which they are tried; shown at once, and taken back if the server refuses. */
const useMove = () => {
  const { api } = useSession()
  const client = useQueryClient()
  const key = keys.flowList(api.workspaceId)
  return useMutation({
    mutationFn: (ids: string[]) => api.put('/flows/order', { ids }),
    onMutate: (ids) => {
      const before = client.getQueryData<{ flows: FlowSummary[] }>(key)
      const at = new Map(ids.map((id, position) => [id, position]))
      client.setQueryData<{ flows: FlowSummary[] }>(
        key,
        (known) =>
          known && {
            flows: known.flows.toSorted(
              (a, b) => (at.get(a.id) ?? a.position) - (at.get(b.id) ?? b.position),
            ),
          },
      )
      return { before }
    },
    onError: (error, _, context) => {
      client.setQueryData(key, context?.before)
      toastError(error)
    },
    onSettled: () => void flowsChanged(client, api.workspaceId),
  })
}

const FlowList = ({
  title,
  about,
  kind,
  flows: all,
}: {
  title: string
  about: string
  kind: FlowSummary['kind']
  flows: FlowSummary[]
}) => {
  const { can } = useSession()
  const move = useMove()
  const flows = all.filter((flow) => flow.kind === kind)
  const mayEdit = can('manage_automation')
  const mayMove = mayEdit && kind === 'dialog' && flows.length > 1
  if (flows.length === 0) return null
  const swap = (from: number, to: number): void => {
    const ids = flows.map(({ id }) => id)
    const moved = ids[from]!
    move.mutate(ids.toSpliced(from, 1).toSpliced(to, 0, moved))
  }
  return (
    <section className="stack stack--tight">
      <h2 className="section__title">{title}</h2>
      <p className="text-soft text-small">{about}</p>
      <ItemList label={title}>
        {flows.map((flow, at) => (
          <Item
            key={flow.id}
            isQuiet={flow.state === 'archived'}
            title={
              <>
                {mayEdit ? (
                  <Link to="/flows/$flowId" params={{ flowId: flow.id }}>
                    <bdi>{flow.name}</bdi>
                  </Link>
                ) : (
                  <bdi>{flow.name}</bdi>
                )}
                <StateBadge flow={flow} />
              </>
            }
            about={countsOf(flow)}
            actions={
              mayMove && (
                <>
                  <IconButton
                    icon={ArrowUp}
                    label={t`Move ${flow.name} up`}
                    disabled={at === 0 || move.isPending}
                    onClick={() => swap(at, at - 1)}
                  />
                  <IconButton
                    icon={ArrowDown}
                    label={t`Move ${flow.name} down`}
                    disabled={at === flows.length - 1 || move.isPending}
                    onClick={() => swap(at, at + 1)}
                  />
                </>
              )
            }
          />
        ))}
      </ItemList>
    </section>
  )
}

const countsOf = ({ runs, updatedAt, state }: FlowSummary): string =>
  [
    ...(state === 'draft' || runs === null
      ? []
      : [
          t`${countOf(runs.running)} running`,
          t`${countOf(runs.completed)} completed in 30 days`,
          runs.failed > 0 && t`${countOf(runs.failed)} failed`,
        ]),
    t`changed ${agoOf(updatedAt)}`,
  ]
    .filter(Boolean)
    .join(' · ')
