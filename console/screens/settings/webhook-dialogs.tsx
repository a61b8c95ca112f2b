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
      toast('Webhook enabled')
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Enable “${name}”`}
      submitLabel="Enable webhook"
      save={enable}
      onSubmit={({ backlog }) => enable.mutate({ backlog: backlog === 'skip' ? 'skip' : 'send' })}
      onClose={onClose}
    >
      <Select
        label="Events since it stopped"
        name="backlog"
        options={[
          { value: 'send', label: 'Send them now' },
          { value: 'skip', label: 'Skip them' },
        ]}
        hint="Skipped events can be replayed later."
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
      <ShownSecret title="Your new secret" label="Secret" secret={rotate.data.secret} onClose={onClose} />
    )
  return (
    <FormDialog
      title={`Rotate the secret of “${name}”`}
      about="Until the old secret ends, requests are signed with both."
      submitLabel="Rotate secret"
      save={rotate}
      onSubmit={({ overlap }) => rotate.mutate(Number(overlap))}
      onClose={onClose}
    >
      <Select
        label="Keep the old secret working"
        name="overlap"
        options={OVERLAPS}
        hint={previousSecretValidUntil ? 'The previous secret stops working immediately.' : undefined}
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
      toast(count === 0 ? 'No events to replay' : `Replaying ${count} ${count === 1 ? 'event' : 'events'}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Replay events to “${name}”`}
      about="Sends past events again, with the same ids. New events don’t wait for them."
      submitLabel="Replay events"
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
        label="Events"
        name="state"
        options={[
          { value: 'failed', label: 'Only those that failed' },
          { value: 'all', label: 'All events of this webhook' },
        ]}
      />
      <TextField label="From" name="from" type="datetime-local" hint="Leave empty for the oldest." />
      <TextField label="To" name="to" type="datetime-local" hint="Leave empty for now." />
    </FormDialog>
  )
}
