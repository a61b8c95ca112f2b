// An email's HTML, for an iframe of the page. No script in it can run.
import type { FastifyReply } from 'fastify'
import type { Mail } from './mail.ts'

const INLINE_MAX_BYTES = 2 * 1024 * 1024
const STYLE =
  'body{margin:12px;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere;background:#fff;color:#111}img{max-width:100%}'

export const showMailHtml = ({ html, attachments }: Mail, reply: FastifyReply): FastifyReply => {
  // Inline images become data URLs because the iframe may not request anything from this server.
  const shown = (html ?? '').replace(/cid:([^"'\s)>]+)/g, (whole, cid: string) => {
    const part = attachments.find((one) => one.cid === decodeCid(cid))
    return part && part.bytes.length <= INLINE_MAX_BYTES && /^image\/(png|jpeg|gif|webp)$/.test(part.mimeType)
      ? `data:${part.mimeType};base64,${part.bytes.toString('base64')}`
      : whole
  })
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: https: http:; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    })
    .send(`<!doctype html><meta charset="utf-8"><base target="_blank"><style>${STYLE}</style>${shown}`)
}

const decodeCid = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
