// Writes sw.js beside the console's page: the service worker with the names of the files that the page loads first.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
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
    const page = readFileSync(`${directory}/index.html`, 'utf8')
    const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path)
    const { code } = await transformWithOxc(readFileSync(SOURCE, 'utf8'), SOURCE)
    const version = createHash('sha256').update(page).update(code).digest('hex').slice(0, 12)
    const constants = `const VERSION = ${JSON.stringify(version)}\nconst SHELL_FILES = ${JSON.stringify(files)}\nconst NO_SCREEN = ${JSON.stringify(NO_SCREEN)}\n`
    writeFileSync(`${directory}/sw.js`, constants + code.replace(/^export \{\};?$/m, ''))
  },
})
