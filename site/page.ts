/** A page of the documentation, written in Markdown. */
export type Page = {
  /** Below /docs/, such as api/send-message; empty for the first page. */
  path: string
  title: string
  /** One sentence, for search results and llms.txt. */
  summary: string
  group: Group
  markdown: string
  /** Code that stands beside the text on wide screens. */
  aside?: string
  /** For operations: GET, POST, … */
  method?: string
}

/** In the order of the navigation. */
export const GROUPS = ['Guides', 'API reference', 'Events', 'Errors', 'More'] as const
export type Group = (typeof GROUPS)[number]

/** Replaced by the server's own address when a page is sent. */
export const EXAMPLE_URL = 'https://inbox.example.com'
