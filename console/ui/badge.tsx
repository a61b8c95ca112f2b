import { classNames } from './class-names.ts'
import { Facebook, type LucideIcon, Mail, MessageCircle, MessageSquare, Phone, Send } from './icons.ts'

export type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'danger'

/** A state in a word, or a count. */
export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: React.ReactNode }) => (
  <span className={classNames('badge', `badge--${tone}`)}>{children}</span>
)

/** Unread, and the like: at most "99+", so that a column of them stays narrow. */
export const Count = ({ value, label }: { value: number; label: string }) => (
  <span className="count">
    <span aria-hidden>{value > 99 ? '99+' : value}</span>
    <span className="hidden-visually">{label}</span>
  </span>
)

/** A workspace's tag in its colour. The text keeps its own colour: any hue may come. */
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
const initialsOf = (name: string): string => {
  const words = name.trim().split(/\s+/)
  const first = [...(words[0] ?? '')].find((character) => /[\p{L}\p{N}]/u.test(character)) ?? '?'
  const last = words.length > 1 ? ([...words.at(-1)!].find((it) => /[\p{L}\p{N}]/u.test(it)) ?? '') : ''
  return (first + last).toUpperCase()
}

/** Always beside the name itself, so it is decoration. `seed` keeps the colour when the name changes. */
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

const CHANNELS: Record<string, { name: string; icon: LucideIcon }> = {
  web: { name: 'Web chat', icon: MessageSquare },
  whatsapp: { name: 'WhatsApp', icon: MessageCircle },
  facebook: { name: 'Messenger', icon: Facebook },
  telegram: { name: 'Telegram', icon: Send },
  sms: { name: 'SMS', icon: Phone },
  email: { name: 'Email', icon: Mail },
}

export const channelName = (channel: string): string => CHANNELS[channel]?.name ?? channel
export const channelIcon = (channel: string): LucideIcon => CHANNELS[channel]?.icon ?? MessageSquare
export const CHANNEL_IDS = Object.keys(CHANNELS)

export const ChannelIcon = ({ channel, size = 14 }: { channel: string; size?: number }) => {
  const Icon = channelIcon(channel)
  return <Icon size={size} role="img" aria-label={channelName(channel)} className="channel-icon" />
}
