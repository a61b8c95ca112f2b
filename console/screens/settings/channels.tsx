import { Plus, Radio, TriangleAlert } from 'lucide-react'
import { agoOf } from '../../state/dates.ts'
import type { ShownChannel } from '../../state/types.ts'
import { Badge, ChannelIcon } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { leftoversTitle, useLeftovers } from './leftovers-state.ts'
import { useSetting } from './use-setting.ts'

export type ChannelList = { channels: ShownChannel[] }

export const ChannelsSettings = () => {
  const { data, error, refetch } = useSetting<ChannelList>('channels', '/channels')
  const leftovers = useLeftovers()
  return (
    <SidePage
      title={t`Channels`}
      about={t`Where customers can write to you.`}
      actions={
        <ButtonLink to="/settings/channels/add" variant="primary" icon={Plus}>
          {t`Add channel`}
        </ButtonLink>
      }
    >
      {leftovers.data && leftovers.data.total > 0 && (
        <Banner
          tone="warn"
          icon={TriangleAlert}
          action={
            <ButtonLink to="/settings/channels/deliveries" size="small">
              {t`Review`}
            </ButtonLink>
          }
        >
          {leftoversTitle(leftovers.data.total)}
        </Banner>
      )}
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.channels.length === 0 ? (
        <EmptyState icon={Radio} title={t`No channels yet`}>
          {t`Add your first channel. Web chat takes about a minute.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Channels`}>
          {data.channels.map((channel) => (
            <ChannelItem key={channel.id} channel={channel} />
          ))}
        </ItemList>
      )}
    </SidePage>
  )
}

const wellWords = ({ channel, workedAt }: ShownChannel): string => {
  if (channel === 'web') return t`No problems`
  return workedAt ? t`Working, last used ${agoOf(workedAt)}` : t`Not tested yet`
}

const ChannelItem = ({ channel: shown }: { channel: ShownChannel }) => {
  const { id, channel, name, address, problem } = shown
  return (
    <Item
      lead={
        <span className="icon-tile">
          <ChannelIcon channel={channel} size={18} />
        </span>
      }
      title={<bdi>{name}</bdi>}
      about={
        <>
          {channelName(channel)}
          {address && address !== name && (
            <>
              {' · '}
              <bdi>{address}</bdi>
            </>
          )}
          {problem && (
            <div className="text-danger">
              {problem.message} {problem.advice}
            </div>
          )}
        </>
      }
      meta={problem ? <Badge tone="danger">{t`Failing`}</Badge> : wellWords(shown)}
      link={{ to: '/settings/channels/$channelId', params: { channelId: id } }}
    />
  )
}
