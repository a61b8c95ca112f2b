import type { ChannelName } from '../../channels/names.ts'
import { channelName } from './channel-name.ts'
import { classNames } from './class-names.ts'
import { Facebook, type LucideIcon, Mail, MessageCircle, MessageSquare, Phone, Send } from './icons.ts'

export type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'danger'

/** A one-word state or a count. */
export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: React.ReactNode }) => (
  <span className={classNames('badge', `badge--${tone}`)}>{children}</span>
)

/** A count, e.g. of unread messages: at most "99+", to keep columns narrow. */
export const Count = ({ value, label }: { value: number; label: string }) => (
  <span className="count">
    <span aria-hidden>{value > 99 ? '99+' : value}</span>
    <span className="hidden-visually">{label}</span>
  </span>
)

/** A workspace's tag in its colour. The text keeps the normal colour, because any hue is possible. */
export const Tag = ({ name, color }: { name: string; color: string }) => (
  <span className="tag">
    <span className="tag__dot" style={{ background: color }} aria-hidden />
    <bdi className="truncate">{name}</bdi>
  </span>
)

const HUES = 8
const hueOf = (text: string): number => {
  let sum = 0
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)!) >>> 0
  return sum % HUES
}
/** Of the first and the last word that have a letter or digit. */
const initialsOf = (name: string): string => {
  const letters = name.split(/\s+/).flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
  return (letters.length > 1 ? letters[0]! + letters.at(-1) : (letters[0] ?? '?')).toUpperCase()
}

/** Decorative, because the name is always next to it. `seed` keeps the colour when the name changes. */
export const Avatar = ({
  name,
  seed = name,
  url,
  size = 'medium',
  isOnline,
}: {
  name: string
  seed?: string
  url?: string | null
  size?: 'small' | 'medium' | 'large'
  isOnline?: boolean
}) => (
  <span className={classNames('avatar', `avatar--${size}`, `avatar--hue-${hueOf(seed)}`)} aria-hidden>
    {url ? <img className="avatar__image" src={url} alt="" loading="lazy" /> : initialsOf(name)}
    {isOnline && <span className="avatar__online" />}
  </span>
)

const ICONS: Record<ChannelName, LucideIcon> = {
  web: MessageSquare,
  whatsapp: MessageCircle,
  facebook: Facebook,
  telegram: Send,
  sms: Phone,
  email: Mail,
}

export const channelIcon = (channel: string): LucideIcon =>
  (ICONS as Record<string, LucideIcon | undefined>)[channel] ?? MessageSquare

export const ChannelIcon = ({ channel, size = 14 }: { channel: string; size?: number }) => {
  const Icon = channelIcon(channel)
  return (
    <Icon
      size={size}
      role="img"
      aria-label={channelName(channel)}
      className={`channel-icon channel-icon--${channel}`}
    />
  )
}
