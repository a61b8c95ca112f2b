// The SDKs that fit this server: a package for npm, the same as a single file for pages and Deno, and one for pip.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveFile, serveScript } from './static-files.ts'

const ROOT = join(import.meta.dirname, '../../..')
const BUILT = join(ROOT, 'dist/sdk')

export const registerSdkFiles = (app: FastifyInstance): void => {
  const schema = { hide: true }
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'sdk/typescript/package.json'), 'utf8'))
  const packages = {
    [`${name}.tgz`]: 'application/gzip',
    [`${name}-${version}.tgz`]: 'application/gzip',
    // pip reads name and version from the file's name.
    [`${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`]: 'application/zip',
  }
  for (const [file, type] of Object.entries(packages))
    app.get(
      `/sdk/${file}`,
      { schema },
      serveFile(join(BUILT, file), type, { 'x-content-type-options': 'nosniff' }),
    )
  app.get('/sdk/foyer.js', { schema }, serveScript(join(BUILT, 'foyer.js')))
}
