// The HTML around a page: navigation, search, contents.
import { GROUPS, type Page } from './page.ts'

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

export const addressOf = ({ path }: Pick<Page, 'path'>): string => (path ? `/docs/${path}` : '/docs')

/** Errors and events are found through their lists and by search. */
const isListed = ({ path }: Page): boolean => !/^(errors|events)\/./.test(path)

const link = (page: Page, current: Page): string =>
  `<li><a href="${addressOf(page)}"${page.path === current.path ? ' aria-current="page"' : ''}>${
    page.method
      ? `<span class="method method--${page.method.toLowerCase()}">${page.method === 'DELETE' ? 'DEL' : page.method}</span>`
      : ''
  }<span>${escapeHtml(page.title)}</span></a></li>`

const navigation = (pages: readonly Page[], sections: ReadonlyMap<string, string>, current: Page): string =>
  GROUPS.map((group) => {
    const own = pages.filter((page) => page.group === group && isListed(page))
    if (own.length === 0) return ''
    const parts = Map.groupBy(own, ({ path }) => sections.get(path) ?? '')
    return `<h2>${group}</h2>${[...parts]
      .map(
        ([name, list]) =>
          `${name && `<h3>${name}</h3>`}<ul>${list.map((page) => link(page, current)).join('')}</ul>`,
      )
      .join('')}`
  }).join('')

type Parts = {
  page: Page
  pages: readonly Page[]
  /** The heading below which an operation stands, by the page's path. */
  sections: ReadonlyMap<string, string>
  body: string
  aside: string
}

export const documentOf = ({ page, pages, sections, body, aside }: Parts): string => {
  const menu = navigation(pages, sections, page)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(page.title)} · Foyer docs</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="/docs/static/favicon-32x32.png">
<link rel="stylesheet" href="/docs/style.css">
<link rel="alternate" type="text/markdown" href="${addressOf(page)}${page.path ? '' : '/index'}.md">
<script src="/docs/page.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="brand" href="/docs">Foyer <span>docs</span></a>
<div class="search" hidden><input type="search" placeholder="Search" aria-label="Search the docs" aria-controls="results" autocomplete="off"><kbd>/</kbd><ul id="results" hidden></ul></div>
<nav class="top__links" aria-label="Elsewhere"><a href="/docs/try">Try it</a><a href="/">Console</a></nav></header>
<div class="frame">
<nav class="side" aria-label="Pages"><details class="side__phone"><summary>Menu</summary>${menu}</details><div class="side__wide">${menu}</div></nav>
<main id="main"${aside ? ' class="with-aside"' : ''}><article>${body}</article>${aside ? `<aside aria-label="Example">${aside}</aside>` : ''}</main>
</div>
</body>
</html>
`
}
