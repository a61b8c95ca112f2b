// What scripts add to the pages, which can all be read without.
import './copy.ts'
import './search.ts'
import './tabs.ts'

// The navigation is long: begin at the current page.
const list = document.querySelector<HTMLElement>('.side__wide')
const current = list?.querySelector<HTMLElement>('[aria-current]')
if (list && current) list.scrollTop = current.offsetTop - list.clientHeight / 2
