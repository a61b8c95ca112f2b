import { useMutation } from '@tanstack/react-query'
import { Stethoscope } from 'lucide-react'
import { useApi } from '../../state/session.tsx'
import type { ShownChannel } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { Section } from '../../ui/page.tsx'
import { useSettingsChanged } from './use-setting.ts'

export type Checked = { ok: boolean; checks: { name: string; ok: boolean; message: string }[] }

/** Asks the provider, which may take ten seconds. */
export const ChannelCheck = ({ channel }: { channel: ShownChannel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const check = useMutation({
    mutationFn: () => api.post<Checked>(`/channels/${channel.id}/check`),
    // A problem that was noted is over when everything works.
    onSuccess: () => void changed(),
  })
  const result = check.isPending ? undefined : check.data
  return (
    <Section
      title="Check that it works"
      about="Asks the provider whether it takes what was entered. Nothing is sent to anybody."
      actions={
        <Button icon={Stethoscope} isBusy={check.isPending} onClick={() => check.mutate()}>
          Check
        </Button>
      }
    >
      <div role="status">
        {check.isPending && <p className="text-soft">Asking… this may take ten seconds.</p>}
        {check.error && !check.isPending && <p className="text-danger">{check.error.message}</p>}
        {result && <CheckList checks={result.checks} />}
      </div>
    </Section>
  )
}
