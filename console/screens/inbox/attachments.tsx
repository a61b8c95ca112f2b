import { Download, File, FileWarning, Hourglass, ImageOff, MapPin, UserRound } from 'lucide-react'
import { lazy, type MouseEvent, Suspense, useState } from 'react'
import { sizeOf } from '../../state/dates.ts'
import type { Attachment, Message } from '../../state/types.ts'
import { MarkedText } from '../../ui/marked-text.tsx'
import { t } from '../../words/t.ts'
import type { Card, Meta, Place } from './metadata.ts'
import { isPicture, plainName } from './pictures.ts'

const Lightbox = lazy(() => import('./lightbox.tsx'))

const Attachments = ({ message, meta }: { message: Message; meta: Meta }) => {
  const files = (message.attachments as readonly Attachment[]).filter(
    ({ id, type }) => type !== 'location' && type !== 'contacts' && !meta.inlineIds.includes(id),
  )
  if (files.length === 0 && !meta.place && meta.cards.length === 0) return null
  return (
    <div className="files">
      <Files files={files} />
      {meta.place && <PlaceView place={meta.place} />}
      {meta.cards.map((card) => (
        <CardView key={`${card.name} ${card.lines.join()}`} card={card} />
      ))}
    </div>
  )
}

export default Attachments

export const NoteFiles = ({ attachments }: { attachments: readonly Attachment[] }) => (
  <div className="files">
    <Files files={attachments} />
  </div>
)

const Files = ({ files }: { files: readonly Attachment[] }) => {
  const [shownId, setShownId] = useState<string | null>(null)
  return (
    <>
      {files.map((attachment) => (
        <FileView key={attachment.id} attachment={attachment} onShow={setShownId} />
      ))}
      <Suspense>
        {shownId !== null && <Lightbox files={files} firstId={shownId} onClose={() => setShownId(null)} />}
      </Suspense>
    </>
  )
}

const FileView = ({
  attachment,
  onShow,
}: {
  attachment: Attachment
  onShow: (attachmentId: string) => void
}) => {
  const [isBroken, setBroken] = useState(false)
  const { id, type, url, mimeType, state, size } = attachment
  /** Other ways to open it are those of a link. */
  const show = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onShow(id)
  }
  const name = plainName(attachment.name)
  if (state === 'failed')
    return <FileCard icon={FileWarning} name={name} about={t`Couldn’t download the file`} />
  if (state === 'pending') return <FileCard icon={Hourglass} name={name} about={t`Downloading…`} />
  if (isBroken) return <FileCard icon={ImageOff} name={name} about={t`No preview`} url={url} />
  if (isPicture(attachment))
    return (
      <a href={url} target="_blank" rel="noreferrer" className="files__picture" onClick={show}>
        <img
          src={url}
          alt={name}
          loading="lazy"
          decoding="async"
          className={type === 'sticker' ? 'files__sticker' : 'files__image'}
          onError={() => setBroken(true)}
        />
      </a>
    )
  if (type === 'audio')
    return (
      // biome-ignore lint/a11y/useMediaCaption: customers' files have no captions
      <audio
        controls
        preload="none"
        src={url}
        className="files__audio"
        aria-label={name}
        onError={() => setBroken(true)}
      />
    )
  if (type === 'video')
    return (
      // biome-ignore lint/a11y/useMediaCaption: customers' files have no captions
      <video
        controls
        preload="metadata"
        src={url}
        className="files__image"
        aria-label={name}
        onError={() => setBroken(true)}
      />
    )
  return <FileCard icon={File} name={name} about={`${kindOf(name, mimeType)} · ${sizeOf(size)}`} url={url} />
}

const kindOf = (name: string, mimeType: string): string => {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]
  return ending ? ending.toUpperCase() : (mimeType.split('/')[1]?.toUpperCase() ?? t`File`)
}

const FileCard = ({
  icon: Icon,
  name,
  about,
  url,
}: {
  icon: typeof File
  name: string
  about: string
  url?: string
}) => {
  const inside = (
    <>
      <span className="file__icon">
        <Icon size={18} aria-hidden />
      </span>
      {url && <span className="hidden-visually">{t`Download`} </span>}
      <span className="file__words">
        <bdi className="file__name truncate" title={name}>
          <MarkedText text={name} />
        </bdi>
        <span className="file__about">{about}</span>
      </span>
      {url && <Download size={16} aria-hidden className="file__get" />}
    </>
  )
  return url ? (
    <a className="file" href={url} target="_blank" rel="noreferrer" download={name}>
      {inside}
    </a>
  ) : (
    <span className="file">{inside}</span>
  )
}

const PlaceView = ({ place: { latitude, longitude, name, address } }: { place: Place }) => (
  <a
    className="file"
    href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
    target="_blank"
    rel="noreferrer noopener"
  >
    <span className="file__icon">
      <MapPin size={18} aria-hidden />
    </span>
    <span className="file__words">
      <bdi className="file__name truncate">{name ?? address ?? t`Location`}</bdi>
      <span className="file__about numeric">
        {name && address ? <bdi>{address}</bdi> : `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`}
      </span>
    </span>
  </a>
)

const CardView = ({ card }: { card: Card }) => (
  <span className="file">
    <span className="file__icon">
      <UserRound size={18} aria-hidden />
    </span>
    <span className="file__words">
      <bdi className="file__name truncate">{card.name}</bdi>
      {card.lines.map((line) => (
        <bdi key={line} className="file__about">
          {line}
        </bdi>
      ))}
    </span>
  </span>
)
