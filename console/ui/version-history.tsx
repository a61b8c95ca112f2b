// What was published: who, when and why; what differs; and any version back into the draft.
import { useQuery } from '@tanstack/react-query'
import { History, RotateCcw } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { dateTimeOf, fullMoment } from '../state/dates.ts'
import { rich, t } from '../words/t.ts'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { ChangeList, type Difference } from './change-list.tsx'
import { EmptyState, LoadProblem } from './empty-state.tsx'
import { Select } from './field.tsx'
import { Item, ItemList } from './item-list.tsx'
import { ConfirmDialog } from './lazy-dialogs.ts'
import { Section } from './page.tsx'
import { Skeleton } from './spinner.tsx'

const DRAFT = 'draft'

type Version = {
  version: number
  note?: string | null
  publishedAt: string
  publishedBy: { name: string }
}

/** How the screen loads a version. */
type VersionQuery<T> = {
  queryKey: readonly unknown[]
  queryFn: (context: { signal: AbortSignal }) => Promise<T>
}

type Props<T> = {
  versions: readonly Version[]
  liveVersion: number | null
  /** The word on the live version. */
  liveWord?: ReactNode
  draft: T
  queryOf: (version: number) => VersionQuery<T>
  compare: (before: T, after: T) => Difference[]
  /** Undefined if the person may not. */
  onRestore: ((definition: T, version: number) => Promise<void>) | undefined
}

export const VersionHistory = <T,>(props: Props<T>) => {
  const { versions, liveVersion, liveWord = t`Live`, queryOf, onRestore } = props
  const [restoring, setRestoring] = useState<number | null>(null)
  const restored = useVersion(queryOf, restoring)
  if (versions.length === 0)
    return (
      <EmptyState icon={History} title={t`Not published yet`}>
        {t`Each time you publish, a version is kept here. You can compare them and go back to any.`}
      </EmptyState>
    )
  return (
    <div className="stack">
      <Compare {...props} />
      <ItemList label={t`Versions`}>
        {versions.map(({ version, note, publishedBy, publishedAt }) => (
          <Item
            key={version}
            title={
              <>
                {rich`Version ${version}`}
                {version === liveVersion && <Badge tone="ok">{liveWord}</Badge>}
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
              onRestore && (
                <Button size="small" icon={RotateCcw} onClick={() => setRestoring(version)}>
                  {t`Restore into draft`}
                </Button>
              )
            }
          />
        ))}
      </ItemList>
      <Suspense>
        {restoring !== null && onRestore && (
          <ConfirmDialog
            title={t`Restore version ${restoring} into the draft?`}
            about={t`The draft is replaced. Customers notice nothing until you publish, and undo brings the draft back.`}
            confirmLabel={t`Restore`}
            isOpen
            onClose={() => setRestoring(null)}
            onConfirm={async () => {
              const { data } = await restored.refetch({ throwOnError: true })
              if (data === undefined) throw new Error(t`This version can’t be restored.`)
              await onRestore(data, restoring)
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

/** A version never changes. */
const useVersion = <T,>(queryOf: (version: number) => VersionQuery<T>, version: number | null) =>
  useQuery({
    ...queryOf(version ?? 0),
    enabled: version !== null,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Two versions, or one and the draft. */
const Compare = <T,>({ versions, draft, queryOf, compare }: Props<T>) => {
  const [from, setFrom] = useState(String(versions[0]!.version))
  const [to, setTo] = useState(DRAFT)
  const numberOf = (chosen: string): number | null => (chosen === DRAFT ? null : Number(chosen))
  const one = useVersion(queryOf, numberOf(from))
  const other = useVersion(queryOf, numberOf(to))
  const before = from === DRAFT ? draft : one.data
  const after = to === DRAFT ? draft : other.data
  const choices = [
    { value: DRAFT, label: t`The draft` },
    ...versions.map(({ version }) => ({ value: String(version), label: t`Version ${version}` })),
  ]
  const error = one.error ?? other.error
  return (
    <Section title={t`Compare`}>
      <div className="row row--wrap">
        <Select
          label={t`From`}
          value={from}
          options={choices}
          onChange={({ target }) => setFrom(target.value)}
        />
        <Select label={t`To`} value={to} options={choices} onChange={({ target }) => setTo(target.value)} />
      </div>
      {error ? (
        <LoadProblem error={error} onRetry={() => void Promise.all([one.refetch(), other.refetch()])} />
      ) : before !== undefined && after !== undefined ? (
        <ChangeList changes={compare(before, after)} />
      ) : (
        <Skeleton lines={3} label={t`Loading versions`} />
      )}
    </Section>
  )
}
