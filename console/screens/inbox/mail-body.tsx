// An email as its writer laid it out. The server has sanitised it; here it is put into a frame that can run nothing,
// with pictures of the web left out until they are asked for, and what was quoted folded away.
import { EllipsisIcon, Image } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { LinkedText } from './linked-text.tsx'
import type { Mail } from './metadata.ts'

const HEIGHT_MAX_PX = 20_000

const MailBody = ({ message, mail }: { message: Message; mail: Mail }) => {
  const [isQuoteShown, setQuoteShown] = useState(false)
  const [areImagesShown, setImagesShown] = useState(false)
  const hasRemoteImages = mail.html !== null && /\sdata-src=/i.test(mail.html)
  const hasQuote =
    mail.html === null
      ? mail.full.trim() !== mail.visible.trim()
      : /\sdata-quote(-start)?[\s=>]/i.test(mail.html)
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
      {hasRemoteImages && !areImagesShown && (
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
      {mail.html === null ? (
        <p className="user-text">
          <LinkedText text={isQuoteShown ? mail.full : mail.visible} />
        </p>
      ) : (
        <Frame
          html={mail.html}
          message={message}
          areImagesShown={areImagesShown}
          isQuoteShown={isQuoteShown}
        />
      )}
      {hasQuote && (
        <Button
          size="small"
          variant="ghost"
          icon={EllipsisIcon}
          aria-expanded={isQuoteShown}
          onClick={() => setQuoteShown(!isQuoteShown)}
        >
          {isQuoteShown ? 'Hide what was quoted' : 'Show what was quoted'}
        </Button>
      )}
    </div>
  )
}
export default MailBody

/** A light sheet of its own in both themes: mail is written for white paper. */
const SHEET = `
  html { color-scheme: light; background: #fff; }
  body { margin: 0; padding: 10px 12px; font: 14px/1.5 system-ui, sans-serif; color: #1c1d1f; overflow-wrap: anywhere; overflow-x: auto; overflow-y: hidden; }
  body > :first-child { margin-top: 0; } body > :last-child { margin-bottom: 0; }
  img { max-width: 100%; height: auto; } table { max-width: 100%; } pre { white-space: pre-wrap; }
  blockquote { margin: 8px 0; padding-inline-start: 12px; border-inline-start: 3px solid #ddd; color: #555; }
  a { color: #3549b8; }
  .foyer-hidden { display: none !important; }
`

const policyFor = (areImagesShown: boolean): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data: ${location.origin}${areImagesShown ? ' https: http:' : ''}; form-action 'none'; base-uri 'none'`

type FrameProps = { html: string; message: Message; areImagesShown: boolean; isQuoteShown: boolean }

const Frame = ({ html, message, areImagesShown, isQuoteShown }: FrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(60)
  const source = useMemo(
    () =>
      `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policyFor(areImagesShown)}"><meta name="referrer" content="no-referrer"><base target="_blank"><body dir="auto">${html}`,
    [html, areImagesShown],
  )

  const [document_, setDocument] = useState<Document | null>(null)
  useEffect(() => {
    if (!document_?.defaultView) return
    // Not an inline style element: the page's own policy, which the frame inherits, knows none.
    const sheet = new (document_.defaultView as Window & typeof globalThis).CSSStyleSheet()
    sheet.replaceSync(SHEET)
    document_.adoptedStyleSheets = [sheet]
    for (const image of document_.querySelectorAll<HTMLImageElement>('img[data-src],img[data-cid]')) {
      const { src, cid } = image.dataset
      const own = cid
        ? (message.attachments as { url: string; cid?: string }[]).find((it) => it.cid === cid)
        : null
      if (own) image.src = own.url
      else if (src && areImagesShown && /^https?:/i.test(src)) image.src = src
    }
    for (const link of document_.querySelectorAll<HTMLAnchorElement>('a[href]')) {
      link.target = '_blank'
      link.rel = 'noreferrer noopener nofollow'
    }
    const measure = (): void =>
      setHeight(
        Math.min(document_.documentElement.scrollHeight, document_.body.scrollHeight + 2, HEIGHT_MAX_PX),
      )
    const observer = new ResizeObserver(measure)
    observer.observe(document_.body)
    measure()
    return () => observer.disconnect()
  }, [document_, areImagesShown, message])

  useEffect(() => {
    if (!document_) return
    for (const quote of document_.querySelectorAll('[data-quote]'))
      quote.classList.toggle('foyer-hidden', !isQuoteShown)
    const start = document_.querySelector('[data-quote-start]')
    // This element and everything after it.
    for (let node: Element | null = start; node && node !== document_.body; node = node.parentElement)
      for (
        let after: Element | null = node === start ? node : node.nextElementSibling;
        after;
        after = after.nextElementSibling
      )
        after.classList.toggle('foyer-hidden', !isQuoteShown)
  }, [document_, isQuoteShown])

  return (
    <iframe
      ref={frame}
      className="mail__frame"
      title={`Email from ${message.sender.nickname}`}
      // No allow-scripts: with allow-same-origin alone its height can be read and nothing in it runs.
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      srcDoc={source}
      style={{ height }}
      onLoad={() => setDocument(frame.current?.contentDocument ?? null)}
    />
  )
}
