import { useMutation } from '@tanstack/react-query'
import { Stethoscope } from 'lucide-react'
import { dateTimeOf } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { Checked, ShownChannel } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { CheckList } from '../../ui/check-list.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

const stateOf = ({ checkedAt }: ShownChannel): string =>
  checkedAt ? t`Last tested ${dateTimeOf(checkedAt)}.` : t`Not tested yet.`

/** Tests the credentials with the provider, which may take ten seconds. */
export const ChannelCheck = ({ channel }: { channel: ShownChannel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const check = useMutation({
    mutationFn: () => api.post<Checked>(`/channels/${channel.id}/check`),
    // The result is the channel's state.
    onSuccess: () => void changed(),
  })
  const result = check.isPending ? undefined : check.data
  return (
    <Section
      title={t`Test connection`}
      about={t`Tests these credentials. No messages are sent. ${stateOf(channel)}`}
      actions={
        <Button icon={Stethoscope} isBusy={check.isPending} onClick={() => check.mutate()}>
          {t`Check`}
        </Button>
      }
    >
      <div role="status">
        {check.isPending && <p className="text-soft">{t`Testing… this can take up to ten seconds.`}</p>}
        {check.error && !check.isPending && <p className="text-danger">{check.error.message}</p>}
        {result && <CheckList checks={result.checks} />}
      </div>
    </Section>
  )
}
