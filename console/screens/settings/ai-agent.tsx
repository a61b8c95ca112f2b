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
  /** What was just asked for, until it holds. */
  const [wanted, setWanted] = useState<boolean | null>(null)
  const set = useMutation({
    mutationFn: (enabled: boolean) => api.put<State>('/ai-agent', { enabled }),
    onSuccess: async (state) => {
      client.setQueryData(keys.setting(api.workspaceId, 'ai-agent'), state)
      toast(state.enabled ? 'The AI agent is on' : 'The AI agent is off')
      await changed()
    },
    onError: toastError,
    onSettled: () => setWanted(null),
  })
  return (
    <SidePage
      title="AI agent"
      about="A member that the platform manages, which takes conversations like any other."
    >
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
                Switched on, it is among the members and conversations can be assigned to it. Switched off, it
                is gone from there, and its open conversations become unassigned.
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
