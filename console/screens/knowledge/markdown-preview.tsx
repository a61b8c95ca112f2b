// An article as it reads. The server splits it with the same parser. HTML is left out, as it is in what is searched, and
// no markup is ever inserted into the page: each token becomes an element.
import { marked, type Token, type Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import { t } from '../../words/t.ts'

const MarkdownPreview = ({ text }: { text: string }) =>
  text.trim() === '' ? (
    <p className="text-soft">{t`Nothing to preview yet.`}</p>
  ) : (
    <div className="markdown" dir="auto">
      {all(marked.lexer(text))}
    </div>
  )
export default MarkdownPreview

const all = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
    <Fragment key={at}>{shown(token)}</Fragment>
  ))

/** Below the page's and the section's own headings. */
const HEADING_FROM = 2

const shown = (token: Token): ReactNode => {
  switch (token.type) {
    case 'heading':
      return createElement(`h${Math.min(token.depth + HEADING_FROM, 6)}`, {}, all(token.tokens))
    case 'paragraph':
      return <p>{all(token.tokens)}</p>
    case 'list':
      return list(token as Tokens.List)
    case 'blockquote':
      return <blockquote>{all(token.tokens)}</blockquote>
    case 'code':
      return <pre>{token.text}</pre>
    case 'codespan':
      return <code>{token.text}</code>
    case 'strong':
      return <strong>{all(token.tokens)}</strong>
    case 'em':
      return <em>{all(token.tokens)}</em>
    case 'del':
      return <del>{all(token.tokens)}</del>
    case 'link':
      return link(token as Tokens.Link)
    case 'br':
      return <br />
    case 'hr':
      return <hr />
    case 'table':
      return table(token as Tokens.Table)
    case 'html':
    case 'def':
    case 'space':
      return null
    case 'escape':
    case 'image':
      return token.text
    default:
      return 'tokens' in token && token.tokens ? all(token.tokens) : 'text' in token ? token.text : null
  }
}

const list = ({ ordered, start, items }: Tokens.List): ReactNode =>
  createElement(
    ordered ? 'ol' : 'ul',
    ordered && start !== '' && start !== 1 ? { start } : {},
    items.map(({ tokens }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
      <li key={at}>{all(tokens)}</li>
    )),
  )

const link = ({ href, tokens }: Tokens.Link): ReactNode =>
  /^(https?|mailto|tel):/i.test(href) ? (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {all(tokens)}
    </a>
  ) : (
    all(tokens)
  )

const table = ({ header, rows }: Tokens.Table): ReactNode => (
  <table>
    <tbody>
      {[header, ...rows].map((cells, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
        <tr key={row}>
          {cells.map(({ tokens }, at) => createElement(row === 0 ? 'th' : 'td', { key: at }, all(tokens)))}
        </tr>
      ))}
    </tbody>
  </table>
)
