// llms.txt: what there is to read, for language models (llmstxt.org).
import { addressOf } from './layout.ts'
import { EXAMPLE_URL, GROUPS, type Page } from './page.ts'

export const llmsText = (pages: readonly Page[]): string =>
  [
    '# Foyer',
    '> A customer-conversation inbox with a REST API: web chat, WhatsApp, email, Messenger, Telegram and SMS. Every page is also available as Markdown; the OpenAPI 3.1 document is at /api/v1/openapi.json.',
    ...GROUPS.flatMap((group) => {
      const own = pages.filter((page) => page.group === group)
      return own.length === 0
        ? []
        : [
            `## ${group}`,
            own
              .map(
                (page) =>
                  `- [${page.title}](${EXAMPLE_URL}${addressOf(page)}${page.path ? '' : '/index'}.md): ${page.summary}`,
              )
              .join('\n'),
          ]
    }),
  ]
    .join('\n\n')
    .concat('\n')
