// What the list of conversations and the results of a search have in common.
import type { ListFilter } from '../../state/conversations.ts'

export type ShownList = {
  filter: ListFilter
  openId: string | undefined
  onOpen: (id: string, replace: boolean) => void
}
export type ListProps = ShownList & {
  /** The search whose first result is to have the focus. */
  wanted: string | null
  onFocused: () => void
}
