// Starting a conversation: an email, a WhatsApp template or an SMS to anybody.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PlugZap } from 'lucide-react'
import { useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { StartSenders } from '../../state/types.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { t } from '../../words/t.ts'
import { NewEmail } from './new-email.tsx'
import { NewSms } from './new-sms.tsx'
import { NewTemplate } from './new-template.tsx'
import type { StartProps } from './start-props.ts'

const CHANNELS = ['email', 'whatsapp', 'sms'] as const
type Startable = (typeof CHANNELS)[number]

const ABOUT: Record<Startable, string> = {
  email: t`Write to one or more addresses.`,
  whatsapp: t`WhatsApp only accepts approved templates until the customer writes.`,
  sms: t`Write to a phone number.`,
}

export const NewConversation = () => {
  const { api, can } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: keys.senders(api.workspaceId),
    queryFn: ({ signal }) => api.get<StartSenders>('/new-conversation/senders', {}, signal),
    enabled: can('see_all_conversations'),
  })
  return (
    <Page title={t`New conversation`} isNarrow>
      {!can('see_all_conversations') ? (
        <EmptyState title={t`You can’t start conversations`}>
          {t`Ask an admin for permission to see all conversations.`}
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Start senders={data.senders} />
      ) : (
        <Skeleton lines={6} />
      )}
    </Page>
  )
}

const Start = ({ senders }: StartSenders) => {
  const { channel, email, phone, name } = useSearch({ from: '/signed/new-conversation' })
  const navigate = useNavigate()
  const connected = CHANNELS.filter((one) => senders.some((sender) => sender.channel === one))
  const [first] = connected
  if (!first)
    return (
      <EmptyState
        icon={PlugZap}
        title={t`No channel to write on`}
        action={<ButtonLink to="/settings/channels">{t`View channels`}</ButtonLink>}
      >
        {t`Connect a mailbox, a WhatsApp number or an SMS number first.`}
      </EmptyState>
    )
  const onStarted = (conversationId: string): void =>
    void navigate({ to: '/inbox/$view/$conversationId', params: { view: 'open', conversationId } })
  const preferred = phone && !email ? connected.find((one) => one !== 'email') : first
  return (
    <Tabs
      label={t`Channel`}
      value={connected.find((one) => one === channel) ?? preferred ?? first}
      onChange={(next) =>
        void navigate({
          to: '/new-conversation',
          search: { channel: next, email, phone, name },
          replace: true,
        })
      }
      tabs={connected.map((one) => ({
        id: one,
        label: channelName(one),
        content: (
          <Writing
            channel={one}
            senders={senders.filter((sender) => sender.channel === one)}
            person={{ email, phone, name }}
            onStarted={onStarted}
          />
        ),
      }))}
    />
  )
}

const Writing = ({
  channel,
  senders,
  ...rest
}: Omit<StartProps, 'sender'> & { channel: Startable; senders: StartSenders['senders'] }) => {
  const [chosen, setChosen] = useState(senders[0]?.id)
  const sender = senders.find(({ id }) => id === chosen) ?? senders[0]!
  const Form = channel === 'email' ? NewEmail : channel === 'sms' ? NewSms : NewTemplate
  return (
    <div className="stack">
      <p className="text-soft">{ABOUT[channel]}</p>
      {senders.length > 1 && (
        <Select
          label={t`:sender:From`}
          value={sender.id}
          options={senders.map(({ id, name, address }) => ({
            value: id,
            label: address && address !== name ? `${name} (${address})` : name,
          }))}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      <Form key={sender.id} sender={sender} {...rest} />
    </div>
  )
}
