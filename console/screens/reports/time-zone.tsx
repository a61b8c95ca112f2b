// The time zone whose days and hours are counted, the same for everyone.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Select } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { timeZones } from '../../ui/week-times.tsx'
import { t } from '../../words/t.ts'

export const TimeZone = ({ timeZone, onClose }: { timeZone: string; onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const [chosen, setChosen] = useState(timeZone)
  const save = useMutation({
    mutationFn: () => api.put('/reports/time-zone', { timeZone: chosen }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.reports(api.workspaceId) })
      onClose()
    },
  })
  return (
    <FormDialog title={t`Time zone of reports`} save={save} onSubmit={() => save.mutate()} onClose={onClose}>
      <Select
        label={t`Time zone`}
        name="timeZone"
        value={chosen}
        options={timeZones(timeZone)}
        onChange={({ target }) => setChosen(target.value)}
        hint={t`Applies to everyone. All days are counted again, which takes a while if there are many messages.`}
      />
    </FormDialog>
  )
}
