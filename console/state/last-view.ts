import { VIEWS, type View } from './conversations.ts'

const LAST_VIEW_KEY = 'foyer.view'

/** The view that this browser looked at last: where the inbox begins. */
export const readLastView = (): View => {
  const last = localStorage.getItem(LAST_VIEW_KEY)
  return VIEWS.find((view) => view === last) ?? 'open'
}
export const writeLastView = (view: View): void => localStorage.setItem(LAST_VIEW_KEY, view)
