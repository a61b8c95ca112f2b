import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type DeviceState, deviceState, turnOff, turnOn } from '../../state/device.ts'
import { Switch } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

const WORDS: Record<DeviceState, string> = {
  on: t`Shown even when Foyer is closed.`,
  off: t`Your browser will ask for permission.`,
  blocked: t`Notifications are blocked. Allow them for this site in your browser’s settings.`,
  unsupported: t`This browser can’t show notifications. On an iPhone or iPad, add Foyer to the home screen first.`,
}

/** Whether this browser shows desktop notifications. */
export const ThisBrowser = ({ pushKey }: { pushKey: string }) => {
  const [state, setState] = useState(deviceState)
  const change = useMutation({
    mutationFn: async (isOn: boolean) => {
      if (isOn) return turnOn(pushKey)
      await turnOff()
      return deviceState()
    },
    onSuccess: setState,
    onError: () =>
      toast(t`Your browser couldn’t reach its notification service. Try again.`, { tone: 'danger' }),
  })
  return (
    <Section title={t`This browser`}>
      <Switch
        label={t`Desktop notifications`}
        hint={WORDS[state]}
        checked={state === 'on'}
        disabled={change.isPending || state === 'blocked' || state === 'unsupported'}
        onChange={({ target }) => change.mutate(target.checked)}
      />
    </Section>
  )
}
