// For admins who turned the AI agent on and wonder why it is silent: the default mode, in plain words, and the usual one.
import { useMutation, useQuery } from '@tanstack/react-query'
import { CHANNELS } from '../../../channels/names.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { AiSettings, FilterChoices } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

type Speaking = AiSettings['speaking']

/** Nothing unless that is all that it does anywhere. */
export const AiOnlyAssigned = ({
  speaking,
  onChanged,
}: {
  /** As it is stored. */
  speaking: Speaking
  onChanged: (channels: (keyof Speaking)[]) => void
}) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const { data } = useQuery({
    queryKey: keys.setting(api.workspaceId, 'filter-choices'),
    queryFn: ({ signal }) => api.get<FilterChoices>('/filter-choices', {}, signal),
  })
  // What a channel does that is connected later is decided then.
  const connected = new Set(data?.channelAccounts.map(({ channel }) => channel))
  const assigned = CHANNELS.filter(
    (channel) => connected.has(channel) && speaking[channel].mode === 'assigned',
  )
  const takesSome = CHANNELS.some(
    (channel) => connected.has(channel) && /^(new|new_closed|silent)$/.test(speaking[channel].mode),
  )
  const take = useMutation({
    mutationFn: () =>
      api.patch('/ai-settings', {
        speaking: Object.fromEntries(assigned.map((channel) => [channel, { mode: 'new' }])),
      }),
    onSuccess: async () => {
      onChanged(assigned)
      await changed()
      toast(t`It replies to new conversations now`)
    },
    onError: toastError,
  })
  if (takesSome || assigned.length === 0) return null
  return (
    <Banner
      action={
        <Button size="small" isBusy={take.isPending} onClick={() => take.mutate()}>
          {t`Reply to new conversations`}
        </Button>
      }
    >
      {t`It only replies to conversations that are assigned to it, by your team or by a flow. New conversations wait for someone to assign them.`}
    </Banner>
  )
}
