// What was published: who, when and why; what differs; and any version back into the draft.
import { useQuery } from '@tanstack/react-query'
import { History, RotateCcw } from 'lucide-react'
import { Suspense, useState } from 'react'
import { dateTimeOf, fullMoment } from '../../../state/dates.ts'
import { type FlowDetails, versionQuery } from '../../../state/flows.ts'
import { useApi } from '../../../state/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../../ui/empty-state.tsx'
import { Select } from '../../../ui/field.tsx'
import { Item, ItemList } from '../../../ui/item-list.tsx'
import { ConfirmDialog } from '../../../ui/lazy-dialogs.ts'
import { Section } from '../../../ui/page.tsx'
import { Skeleton } from '../../../ui/spinner.tsx'
import { toast } from '../../../ui/toast.tsx'
import { compareDefinitions } from '../definition/compare-definitions.ts'
import { isSound } from '../definition/is-sound.ts'
import type { DraftStore } from '../draft-store.ts'
import { useEditor } from '../editor-context.tsx'
import { ChangeList } from './change-list.tsx'

const DRAFT = 'draft'

const Versions = ({ flow, store }: { flow: FlowDetails; store: DraftStore }) => {
  const api = useApi()
  const { isReadOnly } = useEditor()
  const [restoring, setRestoring] = useState<number | null>(null)
  const { versions, version: liveVersion } = flow
  const restored = useQuery({
    ...versionQuery(api, flow.id, restoring ?? 0),
    enabled: restoring !== null,
  })
  if (versions.length === 0)
    return (
      <EmptyState icon={History} title="Not published yet">
        Each time you publish, a version is kept here. You can compare them and go back to any.
      </EmptyState>
    )
  return (
    <div className="stack">
      <Compare flow={flow} />
      <ItemList label="Versions">
        {versions.map(({ version, note, publishedBy, publishedAt }) => (
          <Item
            key={version}
            title={
              <>
                Version {version}
                {version === liveVersion && (
                  <Badge tone="ok">{flow.state === 'live' ? 'Live' : 'Latest'}</Badge>
                )}
              </>
            }
            about={
              <>
                {note && (
                  <>
                    <bdi>{note}</bdi>
                    <br />
                  </>
                )}
                <bdi>{publishedBy.name}</bdi>,{' '}
                <time dateTime={publishedAt} title={fullMoment(publishedAt)}>
                  {dateTimeOf(publishedAt)}
                </time>
              </>
            }
            actions={
              !isReadOnly && (
                <Button size="small" icon={RotateCcw} onClick={() => setRestoring(version)}>
                  Restore into draft
                </Button>
              )
            }
          />
        ))}
      </ItemList>
      <Suspense>
        {restoring !== null && (
          <ConfirmDialog
            title={`Restore version ${restoring} into the draft?`}
            about="The draft is replaced. Customers notice nothing until you publish, and undo brings the draft back."
            confirmLabel="Restore"
            isOpen
            onClose={() => setRestoring(null)}
            onConfirm={async () => {
              const { data } = await restored.refetch({ throwOnError: true })
              const definition = data?.definition
              if (!isSound(definition)) throw new Error('This version can’t be restored.')
              store.change(() => definition)
              await store.flush()
              toast(`Version ${restoring} is now the draft`)
            }}
          />
        )}
      </Suspense>
    </div>
  )
}
export default Versions

/** Two versions, or one and the draft. */
const Compare = ({ flow }: { flow: FlowDetails }) => {
  const { versions } = flow
  const [from, setFrom] = useState(String(versions[0]!.version))
  const [to, setTo] = useState(DRAFT)
  const one = useDefinition(flow, from)
  const other = useDefinition(flow, to)
  const { names } = useEditor()
  const choices = [
    { value: DRAFT, label: 'The draft' },
    ...versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` })),
  ]
  const error = one.error ?? other.error
  return (
    <Section title="Compare">
      <div className="row row--wrap">
        <Select
          label="From"
          value={from}
          options={choices}
          onChange={({ target }) => setFrom(target.value)}
        />
        <Select label="To" value={to} options={choices} onChange={({ target }) => setTo(target.value)} />
      </div>
      {error ? (
        <LoadProblem error={error} onRetry={() => void Promise.all([one.refetch(), other.refetch()])} />
      ) : one.definition && other.definition ? (
        <ChangeList changes={compareDefinitions(one.definition, other.definition, names)} />
      ) : (
        <Skeleton lines={3} label="Loading versions" />
      )}
    </Section>
  )
}

const useDefinition = (flow: FlowDetails, chosen: string) => {
  const api = useApi()
  const { definition } = useEditor()
  const isDraft = chosen === DRAFT
  const query = useQuery({ ...versionQuery(api, flow.id, Number(chosen) || 0), enabled: !isDraft })
  return {
    definition: isDraft ? definition : query.data?.definition,
    error: query.error,
    refetch: query.refetch,
  }
}
