// Search in the documentation. Without this script, the navigation and the lists are all there.
import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS } from '../search-options.ts'

const SHOWN_MAX = 8
const GUIDE_BOOST = 3

const box = document.querySelector<HTMLElement>('.search')!
const field = box.querySelector('input')!
const list = box.querySelector('ul')!
box.hidden = false

type Found = { id: string; title: string; summary: string; group: string }
let loading: Promise<MiniSearch> | undefined

/** The index is only loaded when somebody searches. */
const load = (): Promise<MiniSearch> => {
  loading ??= fetch('/docs/search.json')
    .then((response) => response.text())
    .then((json) => MiniSearch.loadJSON(json, SEARCH_OPTIONS))
  return loading
}

const item = ({ id, title, summary, group }: Found): HTMLLIElement => {
  const row = document.createElement('li')
  const link = document.createElement('a')
  link.href = id
  const name = document.createElement('strong')
  name.textContent = title
  const kind = document.createElement('small')
  kind.textContent = group
  const text = document.createElement('span')
  text.textContent = summary
  link.append(name, kind, text)
  row.append(link)
  return row
}

const show = async (): Promise<void> => {
  const text = field.value.trim()
  if (!text) {
    list.hidden = true
    return
  }
  const index = await load()
  if (text !== field.value.trim()) return
  const found = index.search(text, {
    boost: { title: 4, summary: 2 },
    // Of several pages with a word, the guide says how they belong together.
    boostDocument: (_, __, stored) => (stored?.group === 'Guides' ? GUIDE_BOOST : 1),
    prefix: true,
    fuzzy: 0.15,
  }) as unknown as Found[]
  list.replaceChildren(...found.slice(0, SHOWN_MAX).map(item))
  if (found.length === 0) {
    const row = document.createElement('li')
    row.textContent = `No results for “${text}”`
    list.replaceChildren(row)
  }
  list.hidden = false
}

const links = (): HTMLAnchorElement[] => [...list.querySelectorAll('a')]

/** The arrow keys walk through the results; up from the first one leads back to the field. */
const walk = (event: KeyboardEvent): void => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const all = links()
  const next = all.indexOf(document.activeElement as HTMLAnchorElement) + step
  if (next < 0) field.focus()
  else all[next]?.focus()
  event.preventDefault()
}

field.addEventListener('focus', () => void load())
field.addEventListener('input', () => void show())
box.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && document.activeElement === field) links()[0]?.click()
  else if (event.key === 'Escape') {
    list.hidden = true
    field.blur()
  } else walk(event)
})
box.addEventListener('focusout', ({ relatedTarget }) => {
  if (!box.contains(relatedTarget as Node | null)) list.hidden = true
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
})
