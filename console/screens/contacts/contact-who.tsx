// How a contact stands in a list: face and name, and the channels it is reached on.
import type { ReactNode } from 'react'
import type { Channel } from '../../state/types.ts'
import { Avatar, ChannelIcon } from '../../ui/badge.tsx'

export const Who = ({ id, name, children }: { id: string; name: string; children?: ReactNode }) => (
  <span className="table__who">
    <Avatar name={name} seed={id} size="small" />
    <span>{children ?? <bdi>{name}</bdi>}</span>
  </span>
)

export const Channels = ({ channels }: { channels: readonly Channel[] }) =>
  channels.length === 0 ? null : (
    <span className="table__channels">
      {channels.map((channel) => (
        <ChannelIcon key={channel} channel={channel} size={16} />
      ))}
    </span>
  )
