// A contact in a list: avatar and name, email, and channels.
import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import type { Channel, Profile } from '../../state/types.ts'
import { Avatar, Badge, ChannelIcon } from '../../ui/badge.tsx'
import { Popover } from '../../ui/popover.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { t } from '../../words/t.ts'

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

const WHY = {
  email: t`A visitor typed this address, or we couldn’t verify their email. It may belong to someone else, so nobody is found or identified by it.`,
  phone: t`The customer typed this number. It may belong to someone else, so nobody is found or identified by it.`,
}

const BADGE = <Badge tone="warn">{t`Unverified`}</Badge>

/** Says why when it is pointed at, focused or tapped. `isPlain`: inside something that is itself pressed. */
export const Unverified = ({
  of = 'email',
  isPlain = false,
}: {
  of?: keyof typeof WHY
  isPlain?: boolean
}) => {
  return isPlain ? (
    <span title={WHY[of]}>{BADGE}</span>
  ) : (
    <Popover label={t`Unverified`} align="start" trigger={<UnverifiedButton why={WHY[of]} />}>
      <p className="hint">{WHY[of]}</p>
    </Popover>
  )
}

const UnverifiedButton = ({ why, ...props }: ComponentProps<'button'> & { why: string }) => (
  <Tooltip label={why}>
    <button type="button" className="badge-button" aria-label={t`Unverified. ${why}`} {...props}>
      {BADGE}
    </button>
  </Tooltip>
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

export const Phone = ({ phone, isVerified }: { phone: string; isVerified: boolean }) => (
  <>
    <bdi className="numeric">{phone}</bdi> {!isVerified && <Unverified of="phone" />}
  </>
)

/** A channel or the team vouches for a number. */
export const isPhoneVerified = ({ identities }: Pick<Profile['contact'], 'identities'>): boolean =>
  identities.some(({ kind, verified }) => verified && /^(phone|whatsapp_id|sms)$/.test(kind))
