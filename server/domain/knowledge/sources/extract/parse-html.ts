import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { HtmlDocument } from './remove-hidden.ts'
import type { HtmlNode } from './to-markdown.ts'

/** What is used of the library's document. */
export type PageDocument = HtmlDocument & {
  body: HtmlNode | null
  querySelector(selector: string): (HtmlNode & { getAttribute(name: string): string | null }) | null
}

/** The library's own types need those of browsers. */
const parse = (html: string): PageDocument => parseHTML(html).document as unknown as PageDocument

/** A whole page, also without the tags that HTML lets pages leave out: the library needs them. */
export const parseHtml = (html: string): PageDocument => {
  const head = /<\/head\s*>/i.exec(html)
  const at = head ? head.index + head[0].length : 0
  const body = /<body[\s>]/i.test(html) ? html : `${html.slice(0, at)}<body>${html.slice(at)}`
  return parse(/<html[\s>]/i.test(html) && head ? body : `<html>${body}`)
}

const ELEMENTS_MAX = 60_000

/** The HTML of a page's main part, empty if there is none. Changes the document. */
export const findArticle = (document: PageDocument): string =>
  new Readability(document as never, { maxElemsToParse: ELEMENTS_MAX }).parse()?.content ?? ''
