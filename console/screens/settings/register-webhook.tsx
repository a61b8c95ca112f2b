import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useApi } from '../../state/session.tsx'
import type { ShownChannel } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import type { Checked } from './channel-check.tsx'
import { useSettingsChanged } from './use-setting.ts'

/** Telegram has no page to enter an address on: we tell it. Doing it again changes nothing. */
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
        Telegram has no page to enter the address on. We tell it, with the bot token; again after the address
        of this server or the webhook secret has changed.
      </p>
      <div className="row">
        <Button
          icon={Send}
          variant={isNew ? 'primary' : 'secondary'}
          autoFocus={isNew}
          isBusy={register.isPending}
          onClick={() => register.mutate()}
        >
          Tell Telegram
        </Button>
      </div>
      <div role="status">
        {register.error && !register.isPending && <p className="text-danger">{register.error.message}</p>}
        {register.data && !register.isPending && <CheckList checks={register.data.checks} />}
      </div>
    </>
  )
}
