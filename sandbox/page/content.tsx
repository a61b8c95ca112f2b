// The content of a message, by its type.
import { FileText, ImageOff, type LucideIcon, MapPin, Play, UserRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { classNames } from '../../console/ui/class-names.ts'
import { FormattedText } from '../../console/ui/formatted-text.tsx'
import { type Entry, mediaUrl } from './client.ts'

/** For links that leave the sandbox. */
export const OUTSIDE = { target: '_blank', rel: 'noopener noreferrer nofollow' } as const

/** The message in one line, for the chat list and for quotes. */
export const previewOf = ({ type, content }: Entry): string => {
  const said =
    content.text ?? content.caption ?? (typeof content.body === 'string' ? content.body : undefined)
  const kind: Record<string, string> = {
    image: 'Image',
    video: 'Video',
    audio: 'Voice message',
    document: content.fileName ?? 'Document',
    sticker: 'Sticker',
    location: content.name ? `Location: ${content.name}` : 'Location',
    contacts: 'Contact card',
    unsupported: 'Unsupported message',
  }
  return said ?? kind[type] ?? type
}

const Words = ({ text, name }: { text: string | undefined; name?: string }) =>
  text ? (
    <div className={classNames('user-text', name)}>
      <FormattedText text={text} />
    </div>
  ) : null

export const Content = ({ entry: { type, content } }: { entry: Entry }): ReactNode => {
  switch (type) {
    case 'text':
    case 'button':
      return <Words text={content.text} />
    case 'interactive':
      return (
        <>
          <Words text={content.header} name="text-strong" />
          <Words text={content.body ?? content.text} />
          <Words text={content.description ?? content.footer} name="small" />
        </>
      )
    case 'template':
      return (
        <>
          <Header header={content.header} />
          <Words text={content.body} />
          <Words text={content.footer} name="small" />
        </>
      )
    case 'image':
    case 'sticker':
      return (
        <>
          <Picture source={sourceOf(content)} kind={type} />
          <Words text={content.caption} />
        </>
      )
    case 'video':
      return <FileCard icon={Play} title={content.caption ?? 'Video'} href={sourceOf(content)} />
    case 'audio':
      return <FileCard icon={Play} title="Voice message" href={sourceOf(content)} />
    case 'document':
      return (
        <>
          <FileCard icon={FileText} title={content.fileName ?? 'Document'} href={sourceOf(content)} />
          <Words text={content.caption} />
        </>
      )
    case 'location':
      return <Place {...content} />
    case 'contacts':
      return content.contacts.map((contact: Contact, index: number) => (
        <FileCard
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a message keep their order
          key={index}
          icon={UserRound}
          title={contact.name?.formatted_name ?? 'Contact'}
          about={contact.phones?.map(({ phone }) => phone).join(', ')}
        />
      ))
    case 'unsupported':
      return <i>Unsupported message: the business can’t see it</i>
    default:
      return <code className="text-mono">{JSON.stringify(content.raw ?? content)}</code>
  }
}

type Contact = { name?: { formatted_name?: string }; phones?: { phone?: string }[] }
type Source = { mediaId?: string; id?: string; link?: string }
const sourceOf = ({ mediaId, id, link }: Source): string | undefined =>
  link ?? (mediaId || id ? mediaUrl((mediaId ?? id)!) : undefined)

const Picture = ({ source, kind }: { source: string | undefined; kind: string }) => {
  const [isMissing, setMissing] = useState(false)
  return (
    <div className={`picture picture--${kind}`}>
      {isMissing ? (
        <p className="picture__missing">
          <ImageOff size={28} aria-hidden />
          <small className="truncate">{source ?? 'Image'}</small>
        </p>
      ) : (
        <img src={source} alt="Attachment" loading="lazy" onError={() => setMissing(true)} />
      )}
    </div>
  )
}

const Header = ({
  header,
}: {
  header: (Source & PlaceFields & { format: string; text?: string; filename?: string }) | null
}) => {
  if (!header) return null
  if (header.format === 'text') return <Words text={header.text} name="text-strong" />
  if (header.format === 'image') return <Picture source={sourceOf(header)} kind="image" />
  if (header.format === 'location') return <Place {...header} />
  const isVideo = header.format === 'video'
  const title = header.filename ?? (isVideo ? 'Video' : 'Document')
  return <FileCard icon={isVideo ? Play : FileText} title={title} href={sourceOf(header)} />
}

const FileCard = ({
  icon: Icon,
  title,
  about,
  href,
}: {
  icon: LucideIcon
  title: string
  about?: string
  href?: string
}) => {
  const inside = (
    <>
      <span className="file__icon">
        <Icon size={18} aria-hidden />
      </span>
      <span className="file__words">
        <b className="file__name" dir="auto">
          {title}
        </b>
        {about && <small>{about}</small>}
      </span>
    </>
  )
  return href ? (
    <a className="file" href={href} {...OUTSIDE}>
      {inside}
    </a>
  ) : (
    <div className="file">{inside}</div>
  )
}

type PlaceFields = { latitude?: number; longitude?: number; name?: string; address?: string }
const Place = ({ latitude, longitude, name, address }: PlaceFields) => (
  <div className="place">
    <div className="place__map" aria-hidden>
      <MapPin size={32} fill="#fff" />
    </div>
    {name && <b dir="auto">{name}</b>}
    <small>{address ?? `${latitude}, ${longitude}`}</small>
  </div>
)
