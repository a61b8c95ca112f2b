import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MoreHorizontal, Send } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useApi } from '../../state/session.tsx'
import type { WebhookEndpoint } from '../../state/webhooks.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'
import { EnableWebhook, ReplayEvents, RotateWebhook } from './webhook-dialogs.tsx'

const TestWebhook = lazy(() =>
  import('./test-webhook.tsx').then(({ TestWebhook }) => ({ default: TestWebhook })),
)

/** What can be done with a webhook. */
export const WebhookActions = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'test' | 'enable' | 'rotate' | 'replay' | 'delete' | null>(null)
  const path = `/webhook-endpoints/${endpoint.id}`
  const pause = useMutation({
    mutationFn: () => api.post(`${path}/pause`),
    onSuccess: async () => {
      await changed()
      toast(t`Webhook paused`)
    },
    onError: toastError,
  })
  const dialog = { endpoint, onClose: () => setOpened(null) }
  return (
    <div className="row row--wrap">
      <Button icon={Send} onClick={() => setOpened('test')}>
        {t`Send test event`}
      </Button>
      {endpoint.status === 'enabled' ? (
        <Button isBusy={pause.isPending} onClick={() => pause.mutate()}>
          {t`Pause`}
        </Button>
      ) : (
        <Button variant="primary" onClick={() => setOpened('enable')}>
          {t`Enable`}
        </Button>
      )}
      <Menu label={t`More actions`} trigger={<IconButton icon={MoreHorizontal} label={t`More actions`} />}>
        <MenuItem onSelect={() => setOpened('replay')}>{t`Replay events`}</MenuItem>
        <MenuItem onSelect={() => setOpened('rotate')}>{t`Rotate secret`}</MenuItem>
        <MenuItem isDanger onSelect={() => setOpened('delete')}>
          {t`Delete`}
        </MenuItem>
      </Menu>
      <Suspense>
        {opened === 'test' && <TestWebhook {...dialog} />}
        {opened === 'enable' && <EnableWebhook {...dialog} />}
        {opened === 'rotate' && <RotateWebhook {...dialog} />}
        {opened === 'replay' && <ReplayEvents {...dialog} />}
        {opened === 'delete' && (
          <DeleteDialog
            what={t`webhook`}
            name={endpoint.name}
            about={t`Pending events won’t be sent, and its log is deleted.`}
            onClose={dialog.onClose}
            onDelete={async () => {
              await api.delete(path)
              await navigate({ to: '/settings/webhooks' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </div>
  )
}
