// Exports of the workspace: what an admin starts here is written by the server, downloaded file by file, and deleted.

import { useMutation, useQuery } from '@tanstack/react-query'
import { Archive, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { dateOf, dateTimeOf, fullMoment, sizeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { WorkspaceExport, WorkspaceExportDetails } from '../../state/types.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '../../ui/lazy-dialogs.ts'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

const LOOK_MS = 2_000

const STATUS: Record<WorkspaceExport['status'], { label: string; tone: Tone }> = {
  running: { label: t`Running`, tone: 'accent' },
  completed: { label: t`Ready`, tone: 'ok' },
  failed: { label: t`Failed`, tone: 'danger' },
  expired: { label: t`Expired`, tone: 'plain' },
}

export const ExportsSettings = () => {
  const api = useApi()
  const changed = useSettingsChanged()
  const { data, error, refetch } = useQuery({
    queryKey: keys.setting(api.workspaceId, 'exports'),
    queryFn: ({ signal }) => api.get<{ exports: WorkspaceExport[] }>('/exports', {}, signal),
    refetchInterval: ({ state }) =>
      state.data?.exports.some(({ status }) => status === 'running') ? LOOK_MS : false,
  })
  const [isMaking, setMaking] = useState(false)
  const [opened, setOpened] = useState<WorkspaceExport | null>(null)
  const [deleted, setDeleted] = useState<WorkspaceExport | null>(null)
  const isRunning = data?.exports.some(({ status }) => status === 'running') ?? false
  return (
    <SidePage
      title={t`Export`}
      about={rich`Everything in this workspace as files, kept for seven days. ${<a href="/docs/guides/export-and-import">{t`The format`}</a>}`}
      actions={
        <Button variant="primary" icon={Plus} disabled={isRunning} onClick={() => setMaking(true)}>
          {t`New export`}
        </Button>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.exports.length === 0 ? (
        <EmptyState icon={Archive} title={t`No exports yet`}>
          {t`Create one to take your contacts, conversations and messages with you.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Exports`}>
          {data.exports.map((one) => (
            <ExportItem
              key={one.id}
              one={one}
              onOpen={() => setOpened(one)}
              onDelete={() => setDeleted(one)}
            />
          ))}
        </ItemList>
      )}
      <Suspense>
        {isMaking && <NewExport onClose={() => setMaking(false)} />}
        {opened && <ExportFiles one={opened} onClose={() => setOpened(null)} />}
        {deleted && (
          <ConfirmDialog
            title={deleted.status === 'running' ? t`Stop this export?` : t`Delete this export?`}
            about={
              deleted.status === 'running'
                ? t`Its files are discarded.`
                : t`Its files can’t be downloaded any more.`
            }
            confirmLabel={deleted.status === 'running' ? t`Stop` : 'Delete'}
            isDanger
            isOpen
            onClose={() => setDeleted(null)}
            onConfirm={async () => {
              await api.delete(`/exports/${deleted.id}`)
              await changed()
              toast(deleted.status === 'running' ? t`Export stopped` : t`Export deleted`)
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

const contentWords = ({ createdAfter, includeFiles }: WorkspaceExport): string =>
  [
    createdAfter ? t`Since ${dateOf(createdAfter)}` : t`Everything`,
    includeFiles ? t`with attachments` : t`without attachments`,
  ].join(', ')

const ExportItem = ({
  one,
  onOpen,
  onDelete,
}: {
  one: WorkspaceExport
  onOpen: () => void
  onDelete: () => void
}) => {
  const { status, createdAt, problem } = one
  const { label, tone } = STATUS[status]
  const name = fullMoment(createdAt)
  return (
    <Item
      isQuiet={status === 'expired'}
      title={
        <>
          <span title={name}>{dateTimeOf(createdAt)}</span>
          <Badge tone={tone}>{label}</Badge>
        </>
      }
      about={
        <>
          {contentWords(one)}
          {problem && (
            <>
              <br />
              {problem}
            </>
          )}
        </>
      }
      actions={
        <>
          {status === 'completed' && (
            <Button size="small" onClick={onOpen} aria-label={t`Files of the export of ${name}`}>
              {t`Files`}
            </Button>
          )}
          <Button
            size="small"
            onClick={onDelete}
            aria-label={t`${status === 'running' ? t`Stop` : t`Delete`} the export of ${name}`}
          >
            {status === 'running' ? t`Stop` : t`Delete`}
          </Button>
        </>
      }
    />
  )
}

const NewExport = ({ onClose }: { onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [hasFiles, setHasFiles] = useState(false)
  const make = useMutation({
    mutationFn: ({ createdAfter = '' }: Record<string, string>) =>
      api.post('/exports', {
        includeFiles: hasFiles,
        // The day begins where the admin is.
        ...(createdAfter && { createdAfter: new Date(`${createdAfter}T00:00:00`).toISOString() }),
      }),
    onSuccess: async () => {
      await changed()
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`New export`}
      about={t`You can leave this page while it runs.`}
      submitLabel={t`Create export`}
      save={make}
      onSubmit={(fields) => make.mutate(fields)}
      onClose={onClose}
    >
      <Checkbox
        label={t`Include attachments`}
        hint={t`Can take much longer.`}
        checked={hasFiles}
        onChange={({ target }) => setHasFiles(target.checked)}
      />
      <TextField
        label={t`Messages since (optional)`}
        name="createdAfter"
        type="date"
        hint={t`Contacts, tags and groups are always complete.`}
      />
    </FormDialog>
  )
}

/** Links are signed for an hour, so each download gets its own. */
const ExportFiles = ({ one, onClose }: { one: WorkspaceExport; onClose: () => void }) => {
  const api = useApi()
  const path = `/exports/${one.id}`
  const { data, error, refetch } = useQuery({
    queryKey: keys.setting(api.workspaceId, t`export ${one.id}`),
    queryFn: ({ signal }) => api.get<WorkspaceExportDetails>(path, {}, signal),
  })
  const download = async (name: string) => {
    try {
      const { files } = await api.get<WorkspaceExportDetails>(path)
      const file = files.find((file) => file.name === name)
      if (!file) return toast(t`The export was deleted`)
      const { pathname, search } = new URL(file.url)
      window.location.assign(pathname + search)
    } catch (error) {
      toastError(error)
    }
  }
  return (
    <Dialog title={t`Files`} about={t`Export of ${fullMoment(one.createdAt)}`} isOpen onClose={onClose}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={4} />
      ) : (
        <ItemList label={t`Files`}>
          {data.files.map(({ name, rows, bytes }) => (
            <Item
              key={name}
              title={<code className="text-mono">{name}</code>}
              about={[rows > 0 && (rows === 1 ? t`1 row` : t`${countOf(rows)} rows`), sizeOf(bytes)]
                .filter(Boolean)
                .join(' · ')}
              actions={
                <Button size="small" onClick={() => void download(name)} aria-label={t`Download ${name}`}>
                  {t`Download`}
                </Button>
              }
            />
          ))}
        </ItemList>
      )}
    </Dialog>
  )
}
