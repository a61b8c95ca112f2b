// The page that stops emails about chats. Opening it changes nothing, because mail programs open links by themselves; its
// button does, and so does a mail program's own (RFC 8058), with the same request.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { directionOf } from '../../../widget/languages.ts'
import { stopEmails } from '../../domain/chat-emails/stop-emails.ts'
import { readStopToken } from '../../domain/chat-emails/tokens.ts'
import { fillWords, mailWords } from '../../domain/chat-emails/words.ts'
import { findWorkspace } from '../../domain/workspaces/queries.ts'
import { type ApiDeps, ctxOf, type SchemaTypes, watchMethods } from '../../platform/http/api.ts'
import { languageOf } from './language-of.ts'

const BODY_MAX_BYTES = 8_192

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:15vh auto;padding:0 1rem}
h1{font-size:1.25rem}button{font:inherit;padding:.5rem 1rem;border:0;border-radius:.5rem;background:#2456e6;color:#fff;cursor:pointer}`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

type Shown = { title: string; text: string; button?: string }

const show = (reply: FastifyReply, language: ReturnType<typeof languageOf>, { title, text, button }: Shown) =>
  reply
    .headers(HEADERS)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8">` +
        `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>` +
        `<style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>` +
        `${button ? `<form method="post"><button>${escapeHtml(button)}</button></form>` : ''}</body></html>`,
    )

/** Registers /chat-emails/stop/{token}. */
export const registerStopPage = (root: FastifyInstance, deps: ApiDeps): void => {
  root.register(async (plain) => {
    const app = plain.withTypeProvider<SchemaTypes>()
    const methods = watchMethods(app)
    // A form in either encoding, or whatever else a mail program posts: the address says everything.
    app.removeAllContentTypeParsers()
    app.addHook('onRequest', async ({ headers }) => {
      delete headers['content-type']
    })
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null))
    for (const method of ['GET', 'POST'] as const)
      app.route({
        method,
        url: '/chat-emails/stop/:token',
        bodyLimit: BODY_MAX_BYTES,
        exposeHeadRoute: false,
        schema: { hide: true },
        handler: async (request, reply) => {
          const { token } = request.params as { token: string }
          const { language: wanted } = request.query as { language?: unknown }
          const language = languageOf(String(wanted ?? ''), null)
          const words = mailWords(language)
          const stop = readStopToken(deps.seal, token)
          const workspace = stop && (await findWorkspace(deps.db, stop.workspaceId))
          if (!stop || !workspace)
            return show(reply.code(404), language, { title: words.stopTitle, text: words.wrongLink })
          const names = { workspace: workspace.name }
          if (method === 'GET')
            return show(reply, language, {
              title: words.stopTitle,
              text: fillWords(words.stopText, names),
              button: words.stopButton,
            })
          const ctx = ctxOf(deps, request, stop.workspaceId, { type: 'customer', contactId: null })
          await stopEmails(ctx, stop.addressHash)
          return show(reply, language, { title: words.stopTitle, text: fillWords(words.stopped, names) })
        },
      })
    methods.refuseOthers()
  })
}
