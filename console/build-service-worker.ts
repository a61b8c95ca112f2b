// Writes sw.js beside the console's pages: the service worker with a version that changes with them.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Plugin, transformWithOxc } from 'vite'

const SOURCE = fileURLToPath(new URL('service-worker/service-worker.ts', import.meta.url))

/** What belongs to other parts of the server: in server/platform/http/console-pages.ts, and a test compares the two. */
export const NO_SCREEN =
  '^\\/(?:api|console|demo|docs|files|healthz|mcp|metrics|readyz|sandbox|sdk|webhooks|widget)(?:\\/|$)'

export const buildServiceWorker = (directory: string): Plugin => ({
  name: 'service-worker',
  apply: 'build',
  async closeBundle() {
    const pages = globSync('index*.html', { cwd: directory }).sort()
    const { code } = await transformWithOxc(readFileSync(SOURCE, 'utf8'), SOURCE)
    const hash = createHash('sha256').update(code)
    for (const page of pages) hash.update(readFileSync(`${directory}/${page}`))
    const version = hash.digest('hex').slice(0, 12)
    const constants = `const VERSION = ${JSON.stringify(version)}\nconst NO_SCREEN = ${JSON.stringify(NO_SCREEN)}\n`
    writeFileSync(`${directory}/sw.js`, constants + code.replace(/^export \{\};?$/m, ''))
  },
})
