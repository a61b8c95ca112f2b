// The widget's built scripts, and the demo page that shows it on somebody's site.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { watchMethods } from '../../http/api.ts'
import { serveScript } from '../../http/static-files.ts'

const ROOT = join(import.meta.dirname, '../../..')

export type PagesDeps = {
  config: { publicUrl: string }
  /** The web channel that the demo page talks to; without one there is no such page. */
  demoChannelId?: string | null
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const registerWidgetPages = (app: FastifyInstance, { config, demoChannelId }: PagesDeps): void => {
  const schema = { hide: true }
  const methods = watchMethods(app)
  app.get('/widget.js', { schema }, serveScript(join(ROOT, 'dist/widget/widget.js')))
  app.get('/widget/chat.js', { schema }, serveScript(join(ROOT, 'dist/widget/chat.js')))
  if (demoChannelId)
    app.get('/demo', { schema }, async (_request, reply) => {
      const page = await readFile(join(ROOT, 'widget/demo.html'), 'utf8')
      return reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(
          page
            .replaceAll('__CHANNEL_ID__', escapeHtml(demoChannelId))
            .replaceAll('__BASE_URL__', escapeHtml(config.publicUrl)),
        )
    })
  methods.refuseOthers()
}
