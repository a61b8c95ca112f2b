import { useDeferredValue, useMemo } from 'react'
import { t } from '../words/t.ts'

const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/**
 * The real chat box, in a frame that can reach nothing of the console: with the attributes that the script tag of a site
 * can have, and `data-preview`, with which it calls no server.
 */
export const ChatPreview = ({ attributes }: { attributes: Record<string, string | null> }) => {
  const shown = useDeferredValue(attributes)
  const page = useMemo(() => {
    const given = Object.entries({ ...shown, preview: 'true', open: 'true', channel: 'preview' })
      .flatMap(([name, value]) => (value === null ? [] : `data-${name}="${escapeAttribute(value)}"`))
      .join(' ')
    // Without a size of its own the panel would cover the frame, as it does on a phone.
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
      <body><script src="${location.origin}/widget.js" ${given}></script></body></html>`
  }, [shown])
  return (
    <iframe
      className="chat-preview"
      title={t`Preview of the chat box`}
      sandbox="allow-scripts"
      srcDoc={page}
      loading="lazy"
    />
  )
}
