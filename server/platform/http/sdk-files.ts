// The SDK that fits this server: a package for npm, and a single file for pages and Deno.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveFile, serveScript } from './static-files.ts'

const ROOT = join(import.meta.dirname, '../../..')
const BUILT = join(ROOT, 'dist/sdk')

export const registerSdkFiles = (app: FastifyInstance): void => {
  const schema = { hide: true }
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'sdk/typescript/package.json'), 'utf8'))
  for (const file of [`${name}.tgz`, `${name}-${version}.tgz`])
    app.get(
      `/sdk/${file}`,
      { schema },
      serveFile(join(BUILT, file), 'application/gzip', { 'x-content-type-options': 'nosniff' }),
    )
  app.get('/sdk/foyer.js', { schema }, serveScript(join(BUILT, 'foyer.js')))
}
