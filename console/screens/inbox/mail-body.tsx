// An email with its original layout. The server has sanitised it; it is shown in an iframe without scripts, with remote
// images blocked until requested and quoted text collapsed.
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Image, ShieldAlert, ShieldCheck, ShieldQuestionMark } from 'lucide-react'
import { useContext, useEffect, useRef, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { MarksContext } from '../../ui/marked-text.tsx'
import { t } from '../../words/t.ts'
import { MailHead } from './email/mail-head.tsx'
import { markPage } from './mark-page.ts'
import type { Mail } from './metadata.ts'

const HEIGHT_MAX_PX = 20_000
/** The measured heights of iframes, so the thread doesn't jump when scrolling back to them. */
const heights = new Map<string, number>()

type Content = { text: string | null; html: string | null; images: Record<string, string> }

const MailBody = ({ message, mail }: { message: Message; mail: Mail }) => {
  const api = useApi()
  const [isQuoteWanted, setQuoteShown] = useState<boolean | null>(null)
  const [areImagesShown, setImagesShown] = useState(false)
  const { data } = useQuery({
    queryKey: keys.email(api.workspaceId, message.id),
    queryFn: ({ signal }) => api.get<Content>(`/messages/${message.id}/email`, {}, signal),
    enabled: mail.hasHtml || mail.hasMore,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const html = data?.html ?? null
  const find = useContext(MarksContext)
  const isFoundInQuote = find !== null && find(message.body).length === 0 && find(data?.text ?? '').length > 0
  const isQuoteShown = isQuoteWanted ?? isFoundInQuote
  const hasWebImages = html !== null && /\sdata-src=/i.test(html)
  const hasQuote = html === null ? mail.hasMore : /\sdata-quote(-start)?[\s=>]/i.test(html)
  return (
    <div className="mail">
      <MailHead message={message} mail={mail} />
      <Verification of={mail.verification} />
      {hasWebImages && !areImagesShown && (
        <div className="mail__blocked">
          <Image size={14} aria-hidden />
          <span className="grow">{t`Remote images are blocked to protect your privacy.`}</span>
          <Button size="small" onClick={() => setImagesShown(true)}>
            {t`Show images`}
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
          {isQuoteShown ? t`Hide quoted text` : t`Show quoted text`}
        </Button>
      )}
      {mail.isCut && (
        <p className="bubble__kicker">{t`This email couldn’t be read in full. The original is attached.`}</p>
      )}
    </div>
  )
}
export default MailBody

const Verification = ({ of }: { of: Mail['verification'] }) => {
  if (of === 'verified')
    return (
      <p className="bubble__kicker">
        <ShieldCheck size={12} aria-hidden /> {t`Sender verified`}
      </p>
    )
  if (of === 'absent')
    return (
      <p className="bubble__kicker">
        <ShieldQuestionMark size={12} aria-hidden /> {t`We couldn’t verify the sender’s address`}
      </p>
    )
  return of === 'failed' ? (
    <p className="mail__blocked mail__blocked--danger">
      <ShieldAlert size={14} aria-hidden />
      <span className="grow">{t`The sender’s address failed verification. This email may be forged.`}</span>
    </p>
  ) : null
}

/** Emails that set colours are designed for a white background and get one in both themes. */
const NAMES_COLOURS = /color|background|<style|<font/i
const PAPER = `
  html { color-scheme: light; background: #fff; }
  body { padding: 10px 12px; color: #1c1d1f; }
  blockquote { border-color: #ddd; color: #555; }
  a { color: #3549b8; }
`
/** Other emails look like the rest of the thread. */
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
  a[data-leads-to]::after { content: " ⚠ opens " attr(data-leads-to); font-weight: 600; color: #b3261e; background: #fff; }
  .foyer-folded { display: none !important; }
`

type FrameProps = {
  html: string
  /** The email's own images, by the id used in the HTML. */
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
  // Image URLs are signed anew on every load; the first ones remain valid for what is shown.
  const attached = useRef(images)

  useEffect(() => {
    if (!page?.defaultView) return
    const view = page.defaultView as Window & typeof globalThis
    const sheet = new view.CSSStyleSheet()
    const { colorScheme } = getComputedStyle(document.documentElement)
    sheet.replaceSync(SHEET + (isPlain ? plain(colorScheme) : PAPER))
    page.adoptedStyleSheets = [sheet]
    page.body.dir = 'auto'
    // Sanitised by the server; the iframe's sandbox and its page's policy block scripts even if some got through.
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

  const find = useContext(MarksContext)
  useEffect(() => (filled && find ? markPage(filled, find) : undefined), [filled, find])

  useEffect(() => {
    if (!filled) return
    const fold = (element: Element): void => void element.classList.toggle('foyer-folded', !isQuoteShown)
    for (const quote of filled.querySelectorAll('[data-quote]')) fold(quote)
    // This element and everything after it, at any level.
    const start = filled.querySelector('[data-quote-start]')
    if (start) fold(start)
    for (let node = start; node && node !== filled.body; node = node.parentElement)
      for (let next = node.nextElementSibling; next; next = next.nextElementSibling) fold(next)
  }, [filled, isQuoteShown])

  return (
    <iframe
      ref={frame}
      className={isPlain ? 'mail__frame mail__frame--plain' : 'mail__frame'}
      title={t`Email from ${message.sender.nickname}`}
      src="/console/mail-frame"
      // No allow-scripts: with just allow-same-origin this page can fill and measure it, but nothing in it runs.
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      style={{ height }}
      onLoad={() => setPage(frame.current?.contentDocument ?? null)}
    />
  )
}
