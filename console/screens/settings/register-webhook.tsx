import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useApi } from '../../state/session.tsx'
import type { Checked, ShownChannel } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

/** Telegram has no page for entering a webhook URL, so the server sets it. Doing so again changes nothing. */
export const RegisterWebhook = ({ channel, isNew }: { channel: ShownChannel; isNew: boolean }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const register = useMutation({
    mutationFn: () => api.post<Checked>(`/channels/${channel.id}/webhook`),
    onSuccess: () => void changed(),
  })
  return (
    <>
      <p>
        {t`Registers the webhook with Telegram. Do this again if this server’s address or the webhook secret changes.`}
      </p>
      <div className="row">
        <Button
          icon={Send}
          variant={isNew ? 'primary' : 'secondary'}
          autoFocus={isNew}
          isBusy={register.isPending}
          onClick={() => register.mutate()}
        >
          {t`Register webhook`}
        </Button>
      </div>
      <div role="status">
        {register.error && !register.isPending && <p className="text-danger">{register.error.message}</p>}
        {register.data && !register.isPending && <CheckList checks={register.data.checks} />}
      </div>
    </>
  )
}
