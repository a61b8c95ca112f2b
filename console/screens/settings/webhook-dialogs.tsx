import { useMutation } from '@tanstack/react-query'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type {
  EnableBody,
  EndpointAnswer,
  ReplayBody,
  RotatedSecret,
  StartedReplay,
  WebhookEndpoint,
} from '../../state/webhooks.ts'
import { Select, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/lazy-dialogs.ts'
import { ShownSecret } from '../../ui/shown-secret.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { OVERLAPS } from './new-token.tsx'
import { useSettingsChanged } from './use-setting.ts'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export const EnableWebhook = ({ endpoint: { id, name }, onClose }: Props) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const enable = useMutation<EndpointAnswer, ApiError, EnableBody>({
    mutationFn: (body) => api.post(`/webhook-endpoints/${id}/enable`, body),
    onSuccess: async () => {
      await changed()
      toast(t`Webhook enabled`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Enable “${name}”`}
      submitLabel={t`Enable webhook`}
      save={enable}
      onSubmit={({ backlog }) => enable.mutate({ backlog: backlog === 'skip' ? 'skip' : 'send' })}
      onClose={onClose}
    >
      <Select
        label={t`Events since it stopped`}
        name="backlog"
        options={[
          { value: 'send', label: t`Send them now` },
          { value: 'skip', label: t`Skip them` },
        ]}
        hint={t`Skipped events can be replayed later.`}
      />
    </FormDialog>
  )
}

export const RotateWebhook = ({ endpoint: { id, name, previousSecretValidUntil }, onClose }: Props) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const rotate = useMutation<RotatedSecret, ApiError, number>({
    mutationFn: (overlapHours) => api.post(`/webhook-endpoints/${id}/rotate-secret`, { overlapHours }),
    onSuccess: () => changed(),
  })
  if (rotate.data)
    return (
      <ShownSecret
        title={t`Your new secret`}
        label={t`Secret`}
        secret={rotate.data.secret}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={t`Rotate the secret of “${name}”`}
      about={t`Until the old secret ends, requests are signed with both.`}
      submitLabel={t`Rotate secret`}
      save={rotate}
      onSubmit={({ overlap }) => rotate.mutate(Number(overlap))}
      onClose={onClose}
    >
      <Select
        label={t`Keep the old secret working`}
        name="overlap"
        options={OVERLAPS}
        hint={previousSecretValidUntil ? t`The previous secret stops working immediately.` : undefined}
      />
    </FormDialog>
  )
}

const timeIn = (value: string | undefined) => (value ? new Date(value).toISOString() : undefined)

export const ReplayEvents = ({ endpoint: { id, name }, onClose }: Props) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const replay = useMutation<StartedReplay, ApiError, ReplayBody>({
    mutationFn: (body) => api.post(`/webhook-endpoints/${id}/replay`, body),
    onSuccess: async ({ replay: { count } }) => {
      await changed()
      toast(
        count === 0 ? t`No events to replay` : t`Replaying ${count} ${count === 1 ? t`event` : t`events`}`,
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Replay events to “${name}”`}
      about={t`Sends past events again, with the same ids. New events don’t wait for them.`}
      submitLabel={t`Replay events`}
      save={replay}
      onSubmit={({ state, from, to }) => {
        const until = timeIn(to)
        replay.mutate({
          state: state === 'failed' ? 'failed' : 'all',
          // Without a start, from the first event that is kept.
          from: timeIn(from) ?? (until ? new Date(0).toISOString() : 1),
          ...(until && { to: until }),
        })
      }}
      onClose={onClose}
    >
      <Select
        label={t`Events`}
        name="state"
        options={[
          { value: 'failed', label: t`Only those that failed` },
          { value: 'all', label: t`All events of this webhook` },
        ]}
      />
      <TextField label={t`From`} name="from" type="datetime-local" hint={t`Leave empty for the oldest.`} />
      <TextField label={t`To`} name="to" type="datetime-local" hint={t`Leave empty for now.`} />
    </FormDialog>
  )
}
