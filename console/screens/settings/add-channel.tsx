// Adds a channel: choose a type, fill in its form, then finish the setup at the provider.
import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CircleCheck, ExternalLink, TriangleAlert } from 'lucide-react'
import { CHANNELS_OFFERED, DEFINITIONS } from '../../../channels/definitions.ts'
import { useApi } from '../../state/session.tsx'
import type { AddedChannel, Channel, Checked, ShownChannel } from '../../state/types.ts'
import { ChannelIcon } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { CheckList } from '../../ui/check-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { ChannelCheck } from './channel-check.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { changesOf } from './channel-kinds.ts'
import { ChannelSetup, setupTitle } from './channel-setup.tsx'
import { MailboxSignIn } from './mailbox-sign-in.tsx'
import { useSettingsChanged } from './use-setting.ts'

const ADDED = {
  webhook: t`Channel added. One step left.`,
  registered: t`Channel added.`,
  script: t`Channel added. One step left.`,
  mailbox: t`Mailbox added.`,
} as const

export const ChooseChannel = () => (
  <SidePage title={t`Add a channel`} about={t`Choose a channel type.`} back={<BackLink />}>
    <ul className="choices">
      {CHANNELS_OFFERED.map((channel) => (
        <li key={channel}>
          <Link to="/settings/channels/add/$kind" params={{ kind: channel }} className="choice">
            <span className="icon-tile" aria-hidden>
              <ChannelIcon channel={channel} size={18} />
            </span>
            <span>
              <span className="text-strong">{channelName(channel)}</span>
              <br />
              <span className="text-soft text-small">{DEFINITIONS[channel].about}</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  </SidePage>
)

export const AddChannel = () => {
  const { kind } = useParams({ from: '/signed/settings/channels/add/$kind' })
  const channel = CHANNELS_OFFERED.find((offered) => offered === kind)
  // The key gives each type a separate form, so values typed for one are never sent for another.
  if (channel) return <AddForm key={channel} kind={channel} />
  return (
    <EmptyState
      title={t`Unknown channel type`}
      action={<ButtonLink to="/settings/channels/add">{t`View channel types`}</ButtonLink>}
    />
  )
}

type Given = { values: Record<string, string>; isTested: boolean }

const AddForm = ({ kind }: { kind: Channel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const add = useMutation({
    mutationFn: async ({ values, isTested }: Given) => {
      const fields = changesOf(kind, values, { isNew: true })
      const path = `/channels?mustWork=${isTested}` as const
      const added = await api.post<AddedChannel>(path, { channel: kind, ...fields })
      // Its state is known from the start, also of one that is added although the test failed.
      if (added.channel && !isTested) await api.post<Checked>(`/channels/${added.channel.id}/check`)
      return added
    },
    onSuccess: () => void changed(),
  })
  const { data, variables } = add
  if (data?.channel)
    return <Added channel={data.channel} chosen={variables?.values ?? {}} checks={data.checks} />
  const failed = add.isPending ? undefined : data?.checks
  return (
    <SidePage
      title={t`Add ${channelName(kind)}`}
      about={DEFINITIONS[kind].about}
      back={<BackLink to="kinds" />}
    >
      {kind === 'email' && <MailboxSignIn />}
      <Section title={kind === 'email' ? t`Another mail server` : undefined}>
        <Form error={add.error} onSubmit={(values) => add.mutate({ values, isTested: kind !== 'web' })}>
          <ChannelFields kind={kind} />
          <div role="status">
            {add.isPending && kind !== 'web' && (
              <p className="text-soft">{t`Testing the connection… this can take up to ten seconds.`}</p>
            )}
            {failed && (
              <>
                <Banner tone="danger" icon={TriangleAlert}>
                  {t`The channel wasn’t added because the test failed. Correct the fields above, then try again.`}
                </Banner>
                <CheckList checks={failed} />
              </>
            )}
          </div>
          <div className="row">
            <Button type="submit" variant="primary" isBusy={add.isPending}>
              {failed ? t`Try again` : t`Add channel`}
            </Button>
            {failed && variables && (
              <Button onClick={() => add.mutate({ ...variables, isTested: false })}>{t`Add anyway`}</Button>
            )}
            <ButtonLink to="/settings/channels" variant="ghost">
              {t`Cancel`}
            </ButtonLink>
          </div>
        </Form>
      </Section>
    </SidePage>
  )
}

const Added = ({
  channel,
  chosen,
  checks,
}: {
  channel: ShownChannel
  chosen: Record<string, string>
  checks: AddedChannel['checks']
}) => (
  <SidePage
    title={<bdi>{channel.name}</bdi>}
    about={channelName(channel.channel)}
    back={<BackLink />}
    actions={
      <ButtonLink to="/settings/channels/$channelId" params={{ channelId: channel.id }} icon={ExternalLink}>
        {t`Open channel`}
      </ButtonLink>
    }
  >
    <Banner tone="ok" icon={CircleCheck}>
      {ADDED[DEFINITIONS[channel.channel].setup.how]}
    </Banner>
    {checks.length > 0 && (
      <Section title={t`Connection test`}>
        <CheckList checks={checks} />
      </Section>
    )}
    <Section title={setupTitle(channel.channel)}>
      <ChannelSetup channel={channel} chosen={chosen} isNew />
    </Section>
    {channel.channel !== 'web' && <ChannelCheck channel={channel} />}
  </SidePage>
)
