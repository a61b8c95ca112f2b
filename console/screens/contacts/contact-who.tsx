// A contact in a list: avatar and name, email, and channels.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Channel } from '../../state/types.ts'
import { Avatar, Badge, ChannelIcon } from '../../ui/badge.tsx'

export const Who = ({ id, name, children }: { id: string; name: string; children?: ReactNode }) => (
  <span className="table__who">
    <Avatar name={name} seed={id} size="small" />
    <span>{children ?? <bdi>{name}</bdi>}</span>
  </span>
)

/** The same as a link to the contact. */
export const WhoLink = ({ id, name, target }: { id: string; name: string; target?: '_blank' }) => (
  <Who id={id} name={name}>
    <Link to="/contacts/$contactId" params={{ contactId: id }} target={target}>
      <bdi>{name}</bdi>
    </Link>
  </Who>
)

export const Channels = ({ channels }: { channels: readonly Channel[] }) =>
  channels.length === 0 ? null : (
    <span className="table__channels">
      {channels.map((channel) => (
        <ChannelIcon key={channel} channel={channel} size={16} />
      ))}
    </span>
  )

export const Unverified = () => (
  <span title="A visitor entered this address, or we couldn't verify their email.">
    <Badge tone="warn">Unverified</Badge>
  </span>
)

/** An email address, and whether it was verified or only given by the visitor. */
export const Email = ({ email, isVerified }: { email: string; isVerified: boolean }) => {
  const at = email.lastIndexOf('@')
  return (
    <>
      {/* Long addresses break before the @ first, and elsewhere only if needed. */}
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
      {!isVerified && (
        <>
          {' '}
          <Unverified />
        </>
      )}
    </>
  )
}
