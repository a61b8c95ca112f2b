import { VIEWS, type View } from './conversations.ts'

const LAST_VIEW_KEY = 'foyer.view'

/** The view last used in this browser, where the inbox opens. */
export const readLastView = (): View => {
  const last = localStorage.getItem(LAST_VIEW_KEY)
  return VIEWS.find((view) => view === last) ?? 'open'
}
export const writeLastView = (view: View): void => localStorage.setItem(LAST_VIEW_KEY, view)
