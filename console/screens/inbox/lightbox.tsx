// A picture of the thread, as large as the window, and the others before and after it. Loaded when one is opened.
import { Dialog as Base } from '@base-ui/react/dialog'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, Download, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Timeline } from '../../state/timeline.ts'
import type { Attachment } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'
import { isPicture, plainName } from './pictures.ts'

/** Those of the thread as far as it is loaded, oldest first; of a part of it that is not its end, those beside it. */
const usePictures = (files: readonly Attachment[], firstId: string): readonly Attachment[] => {
  const client = useQueryClient()
  const { workspaceId } = useApi()
  const { conversationId = '' } = useParams({ strict: false })
  const [pictures] = useState(() => {
    const rows = client.getQueryData<Timeline>(keys.timeline(workspaceId, conversationId))?.rows ?? []
    const all = rows
      .toReversed()
      .flatMap((entry): readonly Attachment[] =>
        entry.kind === 'note' ? entry.note.attachments : entry.message.attachments,
      )
      .filter((file) => file.state === 'stored' && isPicture(file))
    return all.some(({ id }) => id === firstId) ? all : files.filter(isPicture)
  })
  return pictures
}

const Lightbox = ({
  files,
  firstId,
  onClose,
}: {
  files: readonly Attachment[]
  firstId: string
  onClose: () => void
}) => {
  const opener = useRef(document.activeElement)
  const pictures = usePictures(files, firstId)
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      pictures.findIndex(({ id }) => id === firstId),
    ),
  )
  const picture = pictures[at]
  const move = (by: 1 | -1): void => setAt(Math.min(pictures.length - 1, Math.max(0, at + by)))
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : undefined
    if (!by) return
    event.preventDefault()
    move(by)
  }
  if (!picture) return null
  const name = plainName(picture.name)
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="scrim lightbox__scrim" />
        <Base.Popup
          className="lightbox"
          onKeyDown={onKeyDown}
          finalFocus={() => (opener.current instanceof HTMLElement ? opener.current : true)}
        >
          <header className="lightbox__head">
            <Base.Title className="lightbox__name truncate">
              <bdi>{name}</bdi>
            </Base.Title>
            <span className="lightbox__count numeric" role="status">
              {pictures.length > 1 && t`${at + 1} of ${pictures.length}`}
            </span>
            <a
              className="icon-button"
              href={picture.url}
              download={name}
              target="_blank"
              rel="noreferrer"
              aria-label={t`Download ${name}`}
            >
              <Download size={18} aria-hidden />
            </a>
            <Base.Close render={<IconButton icon={X} label={t`Close`} hasTooltip={false} />} />
          </header>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape and the button close it, too */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
          <div
            className="lightbox__place"
            onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
          >
            <img key={picture.id} className="lightbox__picture" src={picture.url} alt={name} />
          </div>
          {pictures.length > 1 && (
            <footer className="lightbox__foot">
              <IconButton
                icon={ChevronLeft}
                label={t`Previous picture`}
                hasTooltip={false}
                disabled={at === 0}
                onClick={() => move(-1)}
              />
              <IconButton
                icon={ChevronRight}
                label={t`Next picture`}
                hasTooltip={false}
                disabled={at === pictures.length - 1}
                onClick={() => move(1)}
              />
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export default Lightbox
