// Builds the documentation into dist/docs: HTML and Markdown of every page, the search index, llms.txt. Or into the
// folder that is given.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'vite'
import { documentOf } from './layout.ts'
import { llmsText } from './llms.ts'
import type { Page } from './page.ts'
import { listPages } from './pages.ts'
import { makeRenderer } from './render.ts'
import { indexOf } from './search-index.ts'

const root = join(import.meta.dirname, '..')
const output = resolve(process.argv[2] ?? join(root, 'dist/docs'))

const MISSING: Page = {
  path: '404',
  title: 'Page not found',
  summary: '',
  group: 'More',
  markdown: '# Page not found\n\nChoose a page from the navigation, or press `/` to search.',
}

const write = (name: string, content: string): void => {
  mkdirSync(dirname(join(output, name)), { recursive: true })
  writeFileSync(join(output, name), content)
}

rmSync(output, { recursive: true, force: true })
const { pages, sections } = listPages(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
const renderer = await makeRenderer()
for (const page of pages) {
  const body = renderer.toHtml(page.markdown)
  const aside = page.aside ? renderer.asideToHtml(page.aside) : ''
  const name = page.path || 'index'
  write(`${name}.html`, documentOf({ page, pages, sections, body, aside }))
  write(`${name}.md`, `${page.markdown}\n${page.aside ? `\n${page.aside}\n` : ''}`)
}
const body = renderer.toHtml(MISSING.markdown)
write('404.html', documentOf({ page: MISSING, pages, sections, body, aside: '' }))
const styles = ['../console/ui/tokens.css', 'style.css'].map((name) =>
  readFileSync(join(import.meta.dirname, name), 'utf8'),
)
write('style.css', [...styles, renderer.codeStyles()].join('\n'))
write('search.json', JSON.stringify(indexOf(pages)))
write('llms.txt', llmsText(pages))
await build({
  configFile: false,
  logLevel: 'error',
  build: {
    outDir: output,
    emptyOutDir: false,
    copyPublicDir: false,
    lib: {
      entry: join(import.meta.dirname, 'browser/page.ts'),
      formats: ['iife'],
      name: 'page',
      fileName: () => 'page.js',
    },
  },
})
