import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Trash2, TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { dateTimeOf } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { ShownChannel } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { ChannelCheck } from './channel-check.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { changesOf } from './channel-kinds.ts'
import { ChannelSetup, setupTitle } from './channel-setup.tsx'
import type { ChannelList } from './channels.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

const Reconnect = lazy(async () => ({ default: (await import('./mailbox-sign-in.tsx')).Reconnect }))
const MailboxSignature = lazy(() => import('./mailbox-signature.tsx'))
const ChatBox = lazy(() => import('./chat-box.tsx'))
const ChannelTeam = lazy(() => import('./channel-team.tsx'))
const Retention = lazy(() => import('./retention.tsx'))
const RemoveChannel = lazy(() => import('./remove-channel.tsx'))

/** One channel: its problems, webhook URL, connection test and settings. */
export const ChannelSettings = () => {
  const { channelId } = useParams({ from: '/signed/settings/channels/$channelId' })
  const { data, error, refetch } = useSetting<ChannelList>('channels', '/channels')
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const channel = data.channels.find(({ id }) => id === channelId)
  if (channel) return <Shown key={channel.id} channel={channel} />
  return (
    <EmptyState
      title={t`Channel not found`}
      action={<ButtonLink to="/settings/channels">{t`View channels`}</ButtonLink>}
    >
      {t`It may belong to another workspace.`}
    </EmptyState>
  )
}

const Shown = ({ channel }: { channel: ShownChannel }) => {
  const { channel: kind, name, address, problem } = channel
  const [isRemoving, setRemoving] = useState(false)
  return (
    <SidePage
      title={<bdi>{name}</bdi>}
      about={address && address !== name ? `${channelName(kind)} · ${address}` : channelName(kind)}
      back={<BackLink />}
    >
      {problem && (
        <Banner tone="danger" icon={TriangleAlert}>
          <p className="text-strong">{rich`Failing since ${dateTimeOf(problem.since)}`}</p>
          <p className="user-text">
            {problem.message} {problem.advice}
          </p>
          {kind === 'email' && channel.secretsSet.includes('oauthRefreshToken') && (
            <Suspense>
              <Reconnect channelId={channel.id} />
            </Suspense>
          )}
          {channel.workedAt && (
            <p className="text-small">{rich`Last worked ${dateTimeOf(channel.workedAt)}`}</p>
          )}
        </Banner>
      )}
      <Section title={setupTitle(kind)}>
        <ChannelSetup channel={channel} />
      </Section>
      {kind !== 'web' && <ChannelCheck channel={channel} />}
      {kind === 'web' && (
        <Suspense fallback={<Skeleton lines={6} />}>
          <ChatBox channelId={channel.id} />
        </Suspense>
      )}
      <Edit channel={channel} />
      <Suspense fallback={<Skeleton lines={3} />}>
        {kind === 'email' && <MailboxSignature channelId={channel.id} />}
        <ChannelTeam channel={channel} />
        <Retention channelId={channel.id} />
      </Suspense>
      <Section title={t`Remove channel`} about={t`Its conversations can be kept or deleted.`}>
        <div className="row">
          <Button variant="danger" icon={Trash2} onClick={() => setRemoving(true)}>
            {t`Remove…`}
          </Button>
        </div>
      </Section>
      <Suspense>
        {isRemoving && <RemoveChannel channel={channel} onClose={() => setRemoving(false)} />}
      </Suspense>
    </SidePage>
  )
}

const Edit = ({ channel }: { channel: ShownChannel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  // The channel as it was when the form was filled, so that updates don't overwrite edits in progress.
  const [{ shown, saves }, setShown] = useState({ shown: channel, saves: 0 })
  const save = useMutation({
    mutationFn: (values: Record<string, string>) =>
      api.patch<{ channel: ShownChannel }>(
        `/channels/${channel.id}`,
        changesOf(channel.channel, values, { isNew: false }),
      ),
    onSuccess: ({ channel }) => {
      // Resets the form to the saved values and hides secret inputs again.
      setShown({ shown: channel, saves: saves + 1 })
      void changed()
      toast(t`Saved`)
    },
  })
  return (
    <Section
      title={t`Connection`}
      about={
        shown.secretsSet.length > 0 ? t`Secrets are encrypted and can’t be viewed, only replaced.` : undefined
      }
    >
      <Form key={saves} error={save.error} onSubmit={save.mutate}>
        <ChannelFields kind={shown.channel} channel={shown} />
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {t`Save`}
          </Button>
        </div>
      </Form>
    </Section>
  )
}
