import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi, useSession } from '../../state/session.tsx'
import type { AiSettingsAnswer } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Switch } from '../../ui/field.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { AiReplies } from './ai-replies.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

const PAGE = 'ai-settings'

export const AiAgentSettings = () => {
  const { isAdmin } = useSession()
  const { data, error, refetch } = useSetting<AiSettingsAnswer>(PAGE, '/ai-settings')
  return (
    <SidePage
      title={t`AI agent`}
      about={t`Replies to customers from your articles and saved answers, and hands over to your team when it doesn’t know.`}
      actions={<ButtonLink to="/settings/ai-agent/results">{t`Results`}</ButtonLink>}
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={4} />
      ) : (
        <>
          {data.isOff && (
            <Banner tone="warn">
              {t`The AI agent is turned off on this server. Its conversations go to your team.`}
            </Banner>
          )}
          <Section>
            <div className="stack stack--fields">
              {isAdmin && <Membership isEnabled={data.isEnabled} />}
              {data.isEnabled ? (
                <Replying isStopped={data.settings.isStopped} />
              ) : (
                !isAdmin && <p className="text-soft">{t`The AI agent is off. An admin can turn it on.`}</p>
              )}
            </div>
          </Section>
          <Pages />
          {data.isEnabled && <AiReplies settings={data.settings} spending={data.spending} />}
        </>
      )}
    </SidePage>
  )
}

/** What has a page of its own. */
const Pages = () => {
  const { isAdmin } = useSession()
  return (
    <ItemList label={t`AI agent`}>
      <Item
        link={{ to: '/settings/ai-agent/instructions' }}
        title={t`Instructions and rules`}
        about={t`What a language model is told, how it writes, and what it may use.`}
      />
      <Item
        link={{ to: '/settings/ai-agent/tests' }}
        title={t`Tests`}
        about={t`Questions and expected results, to see what a change improves or breaks.`}
      />
      {isAdmin && (
        <Item
          link={{ to: '/settings/ai-agent/model' }}
          title={t`Model`}
          about={t`The language model that it thinks with. Optional: without one, it sends your answers word for word.`}
        />
      )}
    </ItemList>
  )
}

/** A switch that shows what is being saved until the server confirms it. */
const useSwitch = (isOn: boolean, save: (isOn: boolean) => Promise<unknown>, says: [string, string]) => {
  const changed = useSettingsChanged()
  const [wanted, setWanted] = useState<boolean | null>(null)
  const set = useMutation({
    mutationFn: save,
    onSuccess: async (_, isOn) => {
      await changed()
      // At once: whoever reads it may turn the switch back.
      setWanted(null)
      toast(says[isOn ? 0 : 1])
    },
    onError: (error) => {
      setWanted(null)
      toastError(error)
    },
  })
  return {
    checked: wanted ?? isOn,
    onChange: ({ target }: { target: { checked: boolean } }) => {
      if (wanted !== null) return
      setWanted(target.checked)
      set.mutate(target.checked)
    },
  }
}

const Membership = ({ isEnabled }: { isEnabled: boolean }) => {
  const api = useApi()
  const state = useSwitch(isEnabled, (enabled) => api.put('/ai-agent', { enabled }), [
    t`AI agent turned on`,
    t`AI agent turned off`,
  ])
  return (
    <Switch
      label={t`AI agent`}
      hint={t`When on, it’s listed as a member and you can assign conversations to it. When you turn it off, its open conversations become unassigned.`}
      {...state}
    />
  )
}

const Replying = ({ isStopped }: { isStopped: boolean }) => {
  const api = useApi()
  const client = useQueryClient()
  const save = async (isOn: boolean) => {
    const answer = await api.put<AiSettingsAnswer>('/ai-settings/stopped', { isStopped: !isOn })
    client.setQueryData(keys.setting(api.workspaceId, PAGE), answer)
  }
  const state = useSwitch(!isStopped, save, [t`The AI agent replies again`, t`AI agent stopped`])
  return (
    <Switch
      label={t`Reply to customers`}
      hint={t`When off, its conversations are handed over to your team at once, and so is everything that’s assigned to it.`}
      {...state}
    />
  )
}
