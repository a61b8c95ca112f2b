import type { ReactNode } from 'react'
import { MarkedText } from './marked-text.tsx'

const LINK = /https?:\/\/[^\s<>"']+/gi
/** Trailing characters that more often end a sentence than a URL. */
const TAIL = /(?<![.,;:!?)\]}»”’])[.,;:!?)\]}»”’]+$/

/** Text with its URLs turned into links. Only http and https, so nothing can run. */
export const LinkedText = ({ text }: { text: string }) => {
  const parts: ReactNode[] = []
  let at = 0
  for (const match of text.matchAll(LINK)) {
    const url = match[0].replace(TAIL, '')
    if (!URL.canParse(url)) continue
    if (match.index > at) parts.push(<MarkedText key={at} text={text.slice(at, match.index)} />)
    parts.push(
      <a key={match.index} href={url} target="_blank" rel="noreferrer noopener nofollow" dir="ltr">
        <MarkedText text={url} />
      </a>,
    )
    at = match.index + url.length
  }
  return [...parts, <MarkedText key={at} text={text.slice(at)} />]
}
