// An email as its writer laid it out. The server has sanitised it; here it is put into a frame that can run nothing,
// with pictures of the web left out until they are asked for, and what was quoted folded away.
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Image, ShieldAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../state/session.tsx'
import type { Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import type { Mail } from './metadata.ts'

const HEIGHT_MAX_PX = 20_000
/** Heights that frames were found to have, so that a thread does not jump when it scrolls back over them. */
const heights = new Map<string, number>()

type Content = { text: string | null; html: string | null; images: Record<string, string> }

const MailBody = ({ message, mail }: { message: Message; mail: Mail }) => {
  const api = useApi()
  const [isQuoteShown, setQuoteShown] = useState(false)
  const [areImagesShown, setImagesShown] = useState(false)
  const { data } = useQuery({
    queryKey: ['w', api.workspaceId, 'email', message.id],
    queryFn: ({ signal }) => api.get<Content>(`/messages/${message.id}/email`, {}, signal),
    enabled: mail.hasHtml || mail.hasMore,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const html = data?.html ?? null
  const hasWebImages = html !== null && /\sdata-src=/i.test(html)
  const hasQuote = html === null ? mail.hasMore : /\sdata-quote(-start)?[\s=>]/i.test(html)
  const recipients = [...mail.to, ...mail.cc]
  return (
    <div className="mail">
      {(mail.subject || recipients.length > 1) && (
        <div className="mail__head">
          {mail.subject && <bdi className="mail__subject">{mail.subject}</bdi>}
          {recipients.length > 1 && (
            <span className="mail__to truncate" title={recipients.join(', ')}>
              To <bdi>{recipients.join(', ')}</bdi>
            </span>
          )}
        </div>
      )}
      {mail.isUnproven && (
        <p className="mail__blocked">
          <ShieldAlert size={14} aria-hidden />
          <span className="grow">The sender’s address could not be proven.</span>
        </p>
      )}
      {hasWebImages && !areImagesShown && (
        <div className="mail__blocked">
          <Image size={14} aria-hidden />
          <span className="grow">
            Pictures from the web are not loaded: they tell the sender that you read this.
          </span>
          <Button size="small" onClick={() => setImagesShown(true)}>
            Show images
          </Button>
        </div>
      )}
      {html === null ? (
        <p className="user-text">
          <LinkedText text={isQuoteShown ? (data?.text ?? message.body) : message.body} />
        </p>
      ) : (
        <Frame
          html={html}
          images={data?.images ?? {}}
          message={message}
          areImagesShown={areImagesShown}
          isQuoteShown={isQuoteShown}
        />
      )}
      {hasQuote && (
        <Button
          size="small"
          variant="ghost"
          icon={Ellipsis}
          aria-expanded={isQuoteShown}
          onClick={() => setQuoteShown(!isQuoteShown)}
        >
          {isQuoteShown ? 'Hide the rest' : 'Show what was quoted'}
        </Button>
      )}
      {mail.isCut && (
        <p className="bubble__kicker">This mail could not be read whole. The original is attached.</p>
      )}
    </div>
  )
}
export default MailBody

/** Mail that names colours is written for white paper, and gets it in both themes. */
const NAMES_COLOURS = /color|background|<style|<font/i
const PAPER = `
  html { color-scheme: light; background: #fff; }
  body { padding: 10px 12px; color: #1c1d1f; }
  blockquote { border-color: #ddd; color: #555; }
  a { color: #3549b8; }
`
/** Any other reads as the rest of the thread does. */
const plain = (colorScheme: string): string => `
  html { color-scheme: ${colorScheme}; background: transparent; }
  body { padding: 2px 0 0; color: CanvasText; }
  blockquote { border-color: GrayText; }
  a { color: LinkText; }
`
const SHEET = `
  html { overflow: hidden; }
  body { margin: 0; font: 14px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; overflow-wrap: anywhere; overflow-x: auto; overflow-y: hidden; }
  body > :first-child { margin-top: 0; } body > :last-child { margin-bottom: 0; }
  img { max-width: 100%; height: auto; } img:not([src]) { display: none; }
  table { max-width: 100%; } pre { white-space: pre-wrap; }
  blockquote { margin: 8px 0; padding-inline-start: 12px; border-inline-start: 3px solid; }
  .foyer-folded { display: none !important; }
`

type FrameProps = {
  html: string
  /** Of the mail, by the id that the HTML names. */
  images: Record<string, string>
  message: Message
  areImagesShown: boolean
  isQuoteShown: boolean
}

const Frame = ({ html, images, message, areImagesShown, isQuoteShown }: FrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(() => heights.get(message.id) ?? 80)
  const isPlain = !NAMES_COLOURS.test(html)
  const [page, setPage] = useState<Document | null>(null)
  const [filled, setFilled] = useState<Document | null>(null)
  // Their addresses are signed anew with every look; those of the first are good for what is shown.
  const attached = useRef(images)

  useEffect(() => {
    if (!page?.defaultView) return
    const view = page.defaultView as Window & typeof globalThis
    const sheet = new view.CSSStyleSheet()
    const { colorScheme } = getComputedStyle(document.documentElement)
    sheet.replaceSync(SHEET + (isPlain ? plain(colorScheme) : PAPER))
    page.adoptedStyleSheets = [sheet]
    page.body.dir = 'auto'
    // Sanitised by the server; the frame's sandbox and its page's policy let nothing run whatever came through.
    page.body.innerHTML = html
    for (const image of page.querySelectorAll<HTMLImageElement>('img[data-attachment]')) {
      const url = attached.current[image.dataset.attachment ?? '']
      if (url) image.src = url
    }
    for (const link of page.querySelectorAll<HTMLAnchorElement>('a[href]')) {
      link.target = '_blank'
      link.rel = 'noreferrer noopener nofollow'
    }
    const measure = (): void => {
      const next = Math.min(Math.ceil(page.body.getBoundingClientRect().height), HEIGHT_MAX_PX)
      heights.set(message.id, next)
      setHeight(next)
    }
    const observer = new view.ResizeObserver(measure)
    observer.observe(page.body)
    measure()
    setFilled(page)
    return () => observer.disconnect()
  }, [page, html, isPlain, message.id])

  useEffect(() => {
    if (!filled || !areImagesShown) return
    for (const image of filled.querySelectorAll<HTMLImageElement>('img[data-src]'))
      if (/^https?:/i.test(image.dataset.src ?? '')) image.src = image.dataset.src!
  }, [filled, areImagesShown])

  useEffect(() => {
    if (!filled) return
    const fold = (element: Element): void => void element.classList.toggle('foyer-folded', !isQuoteShown)
    for (const quote of filled.querySelectorAll('[data-quote]')) fold(quote)
    // This element and everything after it, wherever it stands.
    const start = filled.querySelector('[data-quote-start]')
    if (start) fold(start)
    for (let node = start; node && node !== filled.body; node = node.parentElement)
      for (let next = node.nextElementSibling; next; next = next.nextElementSibling) fold(next)
  }, [filled, isQuoteShown])

  return (
    <iframe
      ref={frame}
      className={isPlain ? 'mail__frame mail__frame--plain' : 'mail__frame'}
      title={`Email from ${message.sender.nickname}`}
      src="/console/mail-frame"
      // No allow-scripts: with allow-same-origin alone it can be filled and measured from here, and nothing in it runs.
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      style={{ height }}
      onLoad={() => setPage(frame.current?.contentDocument ?? null)}
    />
  )
}
