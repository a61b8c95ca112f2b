// Pausing, resuming and canceling a broadcast that has not ended.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Broadcast } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/lazy-dialogs.ts'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

export const BroadcastControl = ({ broadcast: { id, pausedAt } }: { broadcast: Broadcast }) => {
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
            about={t`Everyone who hasn’t been sent the message is skipped. Messages on their way still arrive.`}
            confirmLabel={t`Cancel broadcast`}
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
