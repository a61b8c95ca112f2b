// Pausing, resuming and canceling a broadcast that has not ended.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { peopleCount } from '../../state/groups.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Broadcast } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/lazy-dialogs.ts'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { leftOf } from './broadcast-state.ts'

export const BroadcastControl = ({ broadcast }: { broadcast: Broadcast }) => {
  const { id, pausedAt, sentCount } = broadcast
  const left = leftOf(broadcast)
  const api = useApi()
  const client = useQueryClient()
  const [isCanceling, setCanceling] = useState(false)
  const control = useMutation({
    mutationFn: (verb: 'pause' | 'resume' | 'cancel') =>
      api.post<{ broadcast: Broadcast }>(`/broadcasts/${id}/${verb}`),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.broadcasts(api.workspaceId) }),
  })
  return (
    <>
      <Button
        icon={pausedAt ? Play : Pause}
        isBusy={control.isPending && !isCanceling}
        onClick={() => control.mutate(pausedAt ? 'resume' : 'pause', { onError: toastError })}
      >
        {pausedAt ? t`Resume` : t`Pause`}
      </Button>
      <Button icon={X} onClick={() => setCanceling(true)}>
        {t`Cancel broadcast`}
      </Button>
      <Suspense>
        {isCanceling && (
          <ConfirmDialog
            title={t`Cancel this broadcast?`}
            about={
              sentCount === 0
                ? t`Nobody has been sent the message yet. ${peopleCount(left)} won’t get it.`
                : t`${peopleCount(sentCount)} got the message, which can’t be taken back. The other ${countOf(left)} won’t, except messages that are on their way.`
            }
            confirmLabel={t`Cancel broadcast`}
            cancelLabel={t`Keep it`}
            isDanger
            isOpen
            onClose={() => setCanceling(false)}
            onConfirm={() => control.mutateAsync('cancel')}
          />
        )}
      </Suspense>
    </>
  )
}
