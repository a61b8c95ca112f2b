import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Switch } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

type State = { enabled: boolean }

export const AiAgentSettings = () => {
  const api = useApi()
  const client = useQueryClient()
  const { data, error, refetch } = useSetting<State>('ai-agent', '/ai-agent')
  const changed = useSettingsChanged()
  /** The value being saved, until the server confirms it. */
  const [wanted, setWanted] = useState<boolean | null>(null)
  const set = useMutation({
    mutationFn: (enabled: boolean) => api.put<State>('/ai-agent', { enabled }),
    onSuccess: async (state) => {
      client.setQueryData(keys.setting(api.workspaceId, 'ai-agent'), state)
      toast(state.enabled ? 'AI agent turned on' : 'AI agent turned off')
      await changed()
    },
    onError: toastError,
    onSettled: () => setWanted(null),
  })
  return (
    <SidePage title="AI agent" about="A built-in member that conversations can be assigned to.">
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={2} />
      ) : (
        <Section>
          <Switch
            label="AI agent"
            hint={
              <>
                When on, it’s listed as a member and you can assign conversations to it. When you turn it off,
                its open conversations become unassigned.
              </>
            }
            checked={wanted ?? data.enabled}
            onChange={({ target }) => {
              if (wanted !== null) return
              setWanted(target.checked)
              set.mutate(target.checked)
            }}
          />
        </Section>
      )}
    </SidePage>
  )
}
