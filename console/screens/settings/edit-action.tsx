import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { Action, NewAction } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { ActionFields } from './action-fields.tsx'
import { ActionRows } from './action-rows.tsx'
import { BackLink } from './back-link.tsx'
import { TryAction } from './try-action.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

const NEW: NewAction = {
  name: '',
  method: 'GET',
  url: '',
  headers: [],
  parameters: [],
  keep: [],
  timeoutMs: 5_000,
  isRepeatable: true,
  risk: 'read',
  needs: 'known',
  confirm: 'none',
}

/** One of the workspace's actions, or a new one. */
export const EditAction = () => {
  const { actionId } = useParams({ from: '/signed/settings/actions/$actionId' })
  return actionId === 'new' ? <Edit key="new" action={null} /> : <Stored key={actionId} actionId={actionId} />
}

const Stored = ({ actionId }: { actionId: string }) => {
  const { data, error, refetch } = useSetting<{ action: Action }>(
    `action ${actionId}`,
    `/actions/${actionId}`,
  )
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  return data ? <Edit action={data.action} /> : <Skeleton lines={6} />
}

/** The values of its headers are unknown here: those that aren't entered again stay. */
const draftOf = ({ id: _, headerNames, ...action }: Action): NewAction => ({
  ...action,
  headers: headerNames.map((name) => ({ name })),
})

const Edit = ({ action }: { action: Action | null }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(action ? draftOf(action) : NEW)
  /** As it was saved last: only that can be tried. */
  const [saved, setSaved] = useState(action)
  const [isDeleting, setDeleting] = useState(false)
  const set = (change: Partial<NewAction>) => setDraft({ ...draft, ...change })
  const save = useMutation<{ action: Action }, ApiError, NewAction>({
    mutationFn: (given) => (action ? api.put(`/actions/${action.id}`, given) : api.post('/actions', given)),
    onSuccess: async ({ action: stored }) => {
      toast(action ? t`Saved` : t`Action created`)
      setDraft(draftOf(stored))
      setSaved(stored)
      if (!action)
        await navigate({ to: '/settings/actions/$actionId', params: { actionId: stored.id }, replace: true })
      await changed()
    },
  })
  const isChanged = saved !== null && JSON.stringify(draft) !== JSON.stringify(draftOf(saved))
  return (
    <SidePage
      title={action ? <bdi>{action.name}</bdi> : t`New action`}
      back={<BackLink to="actions" />}
      actions={
        action && (
          <Button icon={Trash2} onClick={() => setDeleting(true)}>
            {t`Delete`}
          </Button>
        )
      }
    >
      <Form error={save.error} onSubmit={() => save.mutate({ ...draft, name: draft.name.trim() })}>
        <Section title={t`Request`}>
          <ActionFields draft={draft} isNew={!action} onChange={set} />
        </Section>
        <ActionRows draft={draft} stored={saved?.headerNames ?? []} onChange={set} />
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {action ? t`Save` : t`Create action`}
          </Button>
        </div>
      </Form>
      {saved && <TryAction action={saved} isChanged={isChanged} />}
      <Suspense>
        {action && isDeleting && (
          <DeleteDialog
            what={t`action`}
            name={action.name}
            onClose={() => setDeleting(false)}
            onDelete={async () => {
              await api.delete(`/actions/${action.id}`)
              await navigate({ to: '/settings/actions' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}
