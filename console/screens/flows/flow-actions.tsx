// What can be done with a flow as a whole: publish, pause, archive, restore, export, rename, duplicate, delete.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Archive, Copy, Download, MoreHorizontal, Pause, Pencil, Play, Rocket, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { type FlowDetails, flowsChanged } from '../../state/flows.ts'
import { useSession } from '../../state/session.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { downloadFlow } from './exchange.ts'
import type { StateChange } from './flow-state.tsx'
import type { FlowDraftStore } from './use-draft.ts'
import type { Problems } from './use-problems.ts'

const PublishDialog = lazy(() => import('./publish-dialog.tsx'))
const StateDialog = lazy(() => import('./state-dialog.tsx'))
const RenameFlow = lazy(() => import('./rename-flow.tsx'))
const DeleteFlow = lazy(() => import('./delete-flow.tsx'))

type Open = 'publish' | 'rename' | 'delete' | StateChange

export const FlowActions = ({
  flow,
  store,
  problems,
  onShow,
}: {
  flow: FlowDetails
  store: FlowDraftStore
  problems: Problems
  onShow: (row: string) => void
}) => {
  const { api, can } = useSession()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [open, setOpen] = useState<Open | null>(null)
  const mayEdit = can('manage_automation')
  const mayPublish = mayEdit && flow.state !== 'archived'
  useCommands(
    mayPublish
      ? [
          {
            id: 'publish',
            label: t`Publish flow`,
            group: t`Flow`,
            keys: 'p',
            icon: Rocket,
            run: () => setOpen('publish'),
          },
        ]
      : [],
  )
  const duplicate = useMutation({
    mutationFn: async () => {
      await store.flush()
      return api.post<{ flow: { id: string } }>(`/flows/${flow.id}/duplicate`)
    },
    onSuccess: async ({ flow: { id } }) => {
      void flowsChanged(client, api.workspaceId)
      await navigate({ to: '/flows/$flowId', params: { flowId: id } })
    },
    onError: toastError,
  })
  const exportFlow = useMutation({
    mutationFn: async () => {
      await store.flush()
      await downloadFlow(api, flow)
    },
    onError: toastError,
  })
  const { state, version } = flow
  const close = (): void => setOpen(null)
  return (
    <>
      {mayPublish && (
        <Button variant="primary" icon={Rocket} onClick={() => setOpen('publish')}>
          {t`Publish`}
        </Button>
      )}
      <Menu label={t`More`} trigger={<IconButton icon={MoreHorizontal} label={t`More`} hasTooltip={false} />}>
        {mayEdit && state === 'live' && (
          <MenuItem icon={Pause} onSelect={() => setOpen('pause')}>
            {t`Pause`}
          </MenuItem>
        )}
        {mayEdit && state === 'paused' && (
          <MenuItem icon={Play} onSelect={() => setOpen('resume')}>
            {t`Resume`}
          </MenuItem>
        )}
        <MenuItem icon={Download} onSelect={() => exportFlow.mutate()}>
          {t`Export JSON`}
        </MenuItem>
        {mayEdit && (
          <>
            <MenuItem icon={Pencil} onSelect={() => setOpen('rename')}>
              {t`Rename`}
            </MenuItem>
            <MenuItem icon={Copy} onSelect={() => duplicate.mutate()}>
              {t`Duplicate`}
            </MenuItem>
            <MenuLine />
            {state === 'archived' ? (
              <MenuItem icon={Play} onSelect={() => setOpen('restore')}>
                {t`Restore`}
              </MenuItem>
            ) : (
              version !== null && (
                <MenuItem icon={Archive} onSelect={() => setOpen('archive')}>
                  {t`Archive`}
                </MenuItem>
              )
            )}
            {version === null && (
              <MenuItem icon={Trash2} isDanger onSelect={() => setOpen('delete')}>
                {t`Delete`}
              </MenuItem>
            )}
          </>
        )}
      </Menu>
      <Suspense>
        {open === 'publish' && (
          <PublishDialog flow={flow} store={store} problems={problems} onShow={onShow} onClose={close} />
        )}
        {open === 'rename' && <RenameFlow flow={flow} onClose={close} />}
        {open === 'delete' && <DeleteFlow flow={flow} onClose={close} />}
        {open !== null && open !== 'publish' && open !== 'rename' && open !== 'delete' && (
          <StateDialog flow={flow} change={open} onClose={close} />
        )}
      </Suspense>
    </>
  )
}
