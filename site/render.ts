// Markdown as HTML. Colours of code are classes, since the pages' policy allows no inline styles.
import { Marked } from 'marked'
import { bundledLanguages, createHighlighter } from 'shiki'

const LANGUAGES = ['bash', 'ts', 'python', 'json', 'js', 'html', 'http']
const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } as const
const LANGUAGE_NAMES: Record<string, string> = {
  bash: 'curl',
  ts: 'TypeScript',
  js: 'Node.js',
  python: 'Python',
}
/** Code that stands in each other's place. */
const SAMPLE = '```(?:bash|ts|js|python)\\n(?:(?!\\n```).)*\\n```\\n*'

/** To a page, a place in one, or a website; not to a script. */
const LINK = /^(?:https?:\/\/|\/|#)/i

type Sample = { language: string; code: string }

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

export const makeRenderer = async () => {
  const highlighter = await createHighlighter({
    themes: Object.values(THEMES),
    langs: LANGUAGES.filter((name) => name in bundledLanguages),
  })
  /** Pairs of colours, each with its class. */
  const classes = new Map<string, string>()

  const classOf = (style: Record<string, string>): string => {
    const key = `${style.color}|${style['--shiki-dark']}`
    const name = classes.get(key) ?? `k${classes.size}`
    classes.set(key, name)
    return name
  }

  const highlight = (code: string, language: string): string => {
    if (!LANGUAGES.includes(language)) return escapeHtml(code)
    const { tokens } = highlighter.codeToTokens(code, { lang: language as 'bash', themes: THEMES })
    return tokens
      .map((line) =>
        line
          .map(({ content, htmlStyle }) => {
            const text = escapeHtml(content)
            return content.trim() === '' ? text : `<span class="${classOf(htmlStyle ?? {})}">${text}</span>`
          })
          .join(''),
      )
      .join('\n')
  }

  let group = 0
  const block = (code: string, language: string): string =>
    `<pre tabindex="0"><code>${highlight(code, language)}</code></pre>`

  /** Samples of one call in several languages: tabs that need no script. */
  const tabs = (samples: Sample[]): string => {
    const name = `t${group++}`
    const inputs = samples.map(
      ({ language }, index) =>
        `<label><input type="radio" name="${name}" value="${language === 'js' ? 'ts' : language}"${index === 0 ? ' checked' : ''}>${LANGUAGE_NAMES[language] ?? language}</label>`,
    )
    return `<div class="tabs"><div class="tabs__names">${inputs.join('')}</div>${samples
      .map(({ language, code }) => `<div class="tabs__panel">${block(code, language)}</div>`)
      .join('')}</div>`
  }

  const marked = new Marked({
    gfm: true,
    renderer: {
      // Descriptions come from all over the code: what looks like a tag is what it says, such as <token>.
      html: ({ text }) => escapeHtml(text),
      link({ href, title, tokens }) {
        const inner = this.parser.parseInline(tokens)
        if (!LINK.test(href)) return inner
        return `<a href="${escapeHtml(href)}"${title ? ` title="${escapeHtml(title)}"` : ''}>${inner}</a>`
      },
      heading({ tokens, depth, text }) {
        const id = slug(text)
        const inner = this.parser.parseInline(tokens)
        return depth === 1
          ? `<h1>${inner}</h1>`
          : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>`
      },
      // There are none, and one from elsewhere would not be loaded.
      image: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) => block(text, lang ?? ''),
      table({ header, rows }) {
        const cells = (tag: string, row: typeof header) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells('th', header)}</tr></thead><tbody>${body}</tbody></table></div>`
      },
    },
  })

  /** Code of several languages in a row becomes tabs. */
  const withTabs = (markdown: string, samplesMin: number): string =>
    markdown
      .split(new RegExp(`((?:^${SAMPLE}){${samplesMin},})`, 'gms'))
      .map((part, index) => (index % 2 === 1 ? tabs(samplesOf(part)) : marked.parse(part, { async: false })))
      .join('')

  const samplesOf = (markdown: string): Sample[] =>
    [...markdown.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language, code]) => ({
      language: language!,
      code: code!,
    }))

  const toHtml = (markdown: string): string => withTabs(markdown, 2)
  const asideToHtml = (markdown: string): string => withTabs(markdown, 1)

  const colours = (scheme: 0 | 1): string =>
    [...classes].map(([key, name]) => `.${name}{color:${key.split('|')[scheme]}}`).join('')

  return {
    toHtml,
    asideToHtml,
    /** The style sheet of everything that was highlighted so far. */
    codeStyles: (): string => `${colours(0)}@media(prefers-color-scheme:dark){${colours(1)}}`,
  }
}
