import { useMutation } from '@tanstack/react-query'
import { Stethoscope } from 'lucide-react'
import { useApi } from '../../state/session.tsx'
import type { Checked, ShownChannel } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { Section } from '../../ui/page.tsx'
import { useSettingsChanged } from './use-setting.ts'

/** Tests the credentials with the provider, which may take ten seconds. */
export const ChannelCheck = ({ channel }: { channel: ShownChannel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const check = useMutation({
    mutationFn: () => api.post<Checked>(`/channels/${channel.id}/check`),
    // A recorded problem is cleared when everything works.
    onSuccess: () => void changed(),
  })
  const result = check.isPending ? undefined : check.data
  return (
    <Section
      title="Test connection"
      about="Tests these credentials. No messages are sent."
      actions={
        <Button icon={Stethoscope} isBusy={check.isPending} onClick={() => check.mutate()}>
          Check
        </Button>
      }
    >
      <div role="status">
        {check.isPending && <p className="text-soft">Testing… this can take up to ten seconds.</p>}
        {check.error && !check.isPending && <p className="text-danger">{check.error.message}</p>}
        {result && <CheckList checks={result.checks} />}
      </div>
    </Section>
  )
}
