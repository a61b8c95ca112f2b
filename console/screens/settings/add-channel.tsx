// Adds a channel: choose a type, fill in its form, then finish the setup at the provider.
import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CircleCheck, ExternalLink } from 'lucide-react'
import { CHANNELS_OFFERED, DEFINITIONS } from '../../../channels/definitions.ts'
import { useApi } from '../../state/session.tsx'
import type { Channel, ShownChannel } from '../../state/types.ts'
import { ChannelIcon, channelName } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { BackLink } from './back-link.tsx'
import { ChannelCheck } from './channel-check.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { changesOf } from './channel-kinds.ts'
import { ChannelSetup, setupTitle } from './channel-setup.tsx'
import { useSettingsChanged } from './use-setting.ts'

export const ChooseChannel = () => (
  <SidePage title="Add a channel" about="Choose a channel type." back={<BackLink />}>
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
      title="Unknown channel type"
      action={<ButtonLink to="/settings/channels/add">View channel types</ButtonLink>}
    />
  )
}

const AddForm = ({ kind }: { kind: Channel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const add = useMutation({
    mutationFn: async (values: Record<string, string>) => {
      const fields = changesOf(kind, values, { isNew: true })
      return api.post<{ channel: ShownChannel }>('/channels', { channel: kind, ...fields })
    },
    onSuccess: () => void changed(),
  })
  if (add.data) return <Added channel={add.data.channel} chosen={add.variables ?? {}} />
  return (
    <SidePage
      title={`Add ${channelName(kind)}`}
      about={DEFINITIONS[kind].about}
      back={<BackLink to="kinds" />}
    >
      <Section>
        <Form error={add.error} onSubmit={add.mutate}>
          <ChannelFields kind={kind} />
          <div className="row">
            <Button type="submit" variant="primary" isBusy={add.isPending}>
              Add channel
            </Button>
            <ButtonLink to="/settings/channels" variant="ghost">
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </Section>
    </SidePage>
  )
}

const Added = ({ channel, chosen }: { channel: ShownChannel; chosen: Record<string, string> }) => (
  <SidePage
    title={<bdi>{channel.name}</bdi>}
    about={channelName(channel.channel)}
    back={<BackLink />}
    actions={
      <ButtonLink to="/settings/channels/$channelId" params={{ channelId: channel.id }} icon={ExternalLink}>
        Open channel
      </ButtonLink>
    }
  >
    <Banner tone="ok" icon={CircleCheck}>
      {channel.channel === 'email' ? 'Mailbox added.' : 'Channel added. One step left.'}
    </Banner>
    <Section title={setupTitle(channel.channel)}>
      <ChannelSetup channel={channel} chosen={chosen} isNew />
    </Section>
    {channel.channel !== 'web' && <ChannelCheck channel={channel} />}
  </SidePage>
)
