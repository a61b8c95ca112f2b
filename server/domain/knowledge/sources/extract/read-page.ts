// A web page as a title and Markdown.
import { decodeText } from './decode-text.ts'
import { findArticle, type PageDocument, parseHtml } from './parse-html.ts'
import { removeHidden } from './remove-hidden.ts'
import { escapeMarkdown, stripInvisible, toMarkdown } from './to-markdown.ts'

export type PageTask = { job: 'page'; bytes: Uint8Array; contentType: string | null }
/** `text` is empty if the page has none, as one that is made by scripts. `language` as the page declares it. */
export type PageText = { title: string; text: string; language: string | null }

/** Shorter articles are rather a part of the page than its text. */
const ARTICLE_CHARS_MIN = 400
const AROUND_TEXT =
  'nav,header,footer,aside,form,[role=navigation],[role=banner],[role=contentinfo],[role=search]'

const isSameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const lengthOf = (markdown: string): number => markdown.replace(/\s+/g, '').length

/** The article, without what is around it. */
const articleOf = (html: string): string => {
  const document = parseHtml(html)
  removeHidden(document)
  const article = findArticle(document)
  if (article === '') return ''
  const { body } = parseHtml(article)
  return body ? toMarkdown(body) : ''
}

/** For pages that are no articles, such as lists of questions. */
const wholeOf = (document: PageDocument): string => {
  const main = document.querySelector('main,[role=main]')
  if (main && lengthOf(toMarkdown(main)) > 0) return toMarkdown(main)
  for (const element of document.querySelectorAll(AROUND_TEXT)) element.remove()
  return document.body ? toMarkdown(document.body) : ''
}

const languageOf = (document: PageDocument): string | null =>
  /^[a-z]{2,3}(?=-|_|$)/i
    .exec(document.querySelector('html')?.getAttribute('lang')?.trim() ?? '')?.[0]
    .toLowerCase() ?? null

export const readPage = ({ bytes, contentType }: PageTask): PageText => {
  const html = decodeText(bytes, contentType)
  if (/^text\/(plain|markdown)/i.test(contentType ?? ''))
    return { title: '', text: escapeMarkdown(stripInvisible(html)).trim(), language: null }
  const document = parseHtml(html)
  if (!document.documentElement) return { title: '', text: '', language: null }
  const language = languageOf(document)
  removeHidden(document)
  const heading = document.querySelector('h1')?.textContent ?? ''
  const name = document.querySelector('title')?.textContent ?? ''
  const named = [heading, name].map((text) => stripInvisible(text).replace(/\s+/g, ' ').trim())
  const title = named.find((text) => text !== '') ?? ''
  const whole = wholeOf(document)
  const article = articleOf(html)
  const body =
    lengthOf(article) >= ARTICLE_CHARS_MIN && lengthOf(article) * 2 > lengthOf(whole) ? article : whole
  const [first = '', ...rest] = body.split('\n\n')
  const isTitle = isSameText(first.replace(/^#+ /, ''), escapeMarkdown(title))
  return { title, text: (isTitle ? rest.join('\n\n') : body).trim(), language }
}
