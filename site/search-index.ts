// What the search in the pages looks through.
import MiniSearch from 'minisearch'
import { addressOf } from './layout.ts'
import type { Page } from './page.ts'
import { SEARCH_OPTIONS } from './search-options.ts'

export const indexOf = (pages: readonly Page[]): MiniSearch => {
  const index = new MiniSearch(SEARCH_OPTIONS)
  index.addAll(
    pages.map((page) => ({
      id: addressOf(page),
      title: page.title,
      summary: page.summary,
      group: page.group,
      words: page.markdown.replaceAll(/```.*?```/gs, ' ').replaceAll(/[#*`|<>\-[\]()]/g, ' '),
    })),
  )
  return index
}
