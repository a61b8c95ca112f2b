// The widget's built scripts, its texts in each language, and the demo page that shows it on a sample site.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { languages } from '../../../widget/languages.ts'
import { type SchemaTypes, watchMethods } from '../../platform/http/api.ts'
import { serveData, serveScript } from '../../platform/http/static-files.ts'

const ROOT = join(import.meta.dirname, '../../..')

export type PagesDeps = {
  config: { publicUrl: string }
  /** The web channel of the demo page; without one the page does not exist. */
  demoChannelId?: string | null
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export const registerWidgetPages = (app: FastifyInstance, { config, demoChannelId }: PagesDeps): void => {
  const schema = { hide: true }
  const methods = watchMethods(app.withTypeProvider<SchemaTypes>())
  app.get('/widget.js', { schema }, serveScript(join(ROOT, 'dist/widget/widget.js')))
  app.get('/widget/chat.js', { schema }, serveScript(join(ROOT, 'dist/widget/chat.js')))
  for (const language of languages)
    app.get(
      `/widget/words/${language}.json`,
      { schema },
      serveData(join(ROOT, `widget/words/${language}.json`)),
    )
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
