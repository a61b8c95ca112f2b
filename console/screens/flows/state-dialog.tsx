// Pauses, resumes, archives or restores a flow. Where runs are under way, it asks what becomes of them.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type FlowSummary, flowsChanged } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { StateChange } from './flow-state.tsx'

const WORDS: Record<StateChange, { title: string; about: string; done: string; label: string }> = {
  pause: {
    title: t`Pause this flow?`,
    about: t`It won’t start for anyone until you resume it.`,
    done: t`Paused`,
    label: t`Pause`,
  },
  resume: {
    title: t`Resume this flow?`,
    about: t`It starts for customers again, with the version that was live.`,
    done: t`Live again`,
    label: t`Resume`,
  },
  archive: {
    title: t`Archive this flow?`,
    about: t`It won’t start any more and leaves the list. Its runs and versions are kept.`,
    done: t`Archived`,
    label: t`Archive`,
  },
  restore: {
    title: t`Restore this flow?`,
    about: t`It comes back to the list. It stays paused until you resume it.`,
    done: t`Restored`,
    label: t`Restore`,
  },
}

const StateDialog = ({
  flow,
  change,
  onClose,
}: {
  flow: FlowSummary
  change: StateChange
  onClose: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const [runs, setRuns] = useState<'finish' | 'cancel'>('finish')
  const { title, about, done, label } = WORDS[change]
  const running = flow.runs?.running ?? 0
  const isStopping = change === 'pause' || change === 'archive'
  const asksForRuns = isStopping && running > 0
  const save = useMutation({
    mutationFn: () => api.post(`/flows/${flow.id}/${change}`, isStopping ? { runs } : {}),
    onSuccess: async () => {
      await flowsChanged(client, api.workspaceId)
      toast(done)
    },
  })
  return (
    <ConfirmDialog
      title={title}
      about={about}
      confirmLabel={label}
      isOpen
      onClose={onClose}
      onConfirm={() => save.mutateAsync()}
    >
      {asksForRuns && (
        <Select
          label={running === 1 ? t`1 run is under way` : t`${running} runs are under way`}
          value={runs}
          options={[
            { value: 'finish', label: running === 1 ? t`Let it finish` : t`Let them finish` },
            { value: 'cancel', label: running === 1 ? t`Cancel it now` : t`Cancel them now` },
          ]}
          onChange={({ target }) => setRuns(target.value as 'finish' | 'cancel')}
        />
      )}
    </ConfirmDialog>
  )
}
export default StateDialog
