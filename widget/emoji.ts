// A small picker of common emoji. The keys of a grid: arrows move, Enter inserts, Escape closes.
import { createIcon, element } from './element.ts'
import { words } from './words.ts'

const columns = 8
const emoji = [
  '😀 😃 😄 😁 😅 😂 🙂 🙃 😉 😊 😇 🥰 😍 😘 😋 😜 🤔 🤗 🤫 😐 😶 😏 😒 🙄 😬 😔 😴 🤒 🤕 🥵 🥶 🤯',
  '🥳 😎 🤓 😕 🙁 😮 😳 🥺 😢 😭 😱 😤 😡 👍 👎 👌 ✌️ 🤞 👋 🙏 👏 💪 👀 🤷 ❤️ 💙 💚 💔 🔥 ✨ 🎉 🎁',
  '✅ ❌ ❓ ❗ 💡 📦 🚚 💳 📷 📎 📅 ⏰ 📍 ☎️ ✉️ 🛒 ☀️ ☔ ☕ 🍕 🎂 🌱 🐶 🐱',
]
  .join(' ')
  .split(' ')

export const createEmojiPicker = (onPick: (emoji: string) => void, onClose: () => void) => {
  const button = element(
    'button',
    {
      type: 'button',
      class: 'tool',
      'aria-label': words.emoji,
      'aria-expanded': 'false',
      'aria-haspopup': 'dialog',
    },
    [createIcon('M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01')],
  )
  const grid = element('div', { class: 'emoji', role: 'dialog', 'aria-label': words.emoji, hidden: '' })
  const cells = (): HTMLButtonElement[] => [...grid.querySelectorAll('button')]

  const setOpen = (isOpen: boolean): void => {
    grid.hidden = !isOpen
    button.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen) return
    // Made when it is first opened.
    if (!grid.firstChild)
      grid.append(
        ...emoji.map((character, index) =>
          element('button', { type: 'button', tabindex: index === 0 ? '0' : '-1' }, character),
        ),
      )
    cells()
      .find(({ tabIndex }) => tabIndex === 0)
      ?.focus()
  }
  const close = (): void => {
    if (grid.hidden) return
    setOpen(false)
    onClose()
  }
  const moveTo = (index: number): void => {
    const all = cells()
    const next = all[index]
    if (!next) return
    for (const cell of all) cell.tabIndex = cell === next ? 0 : -1
    next.focus()
  }

  button.addEventListener('click', () => (grid.hidden ? setOpen(true) : close()))
  grid.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return
    onPick(target.textContent ?? '')
    close()
  })
  grid.addEventListener('keydown', (event) => {
    const root = grid.getRootNode() as ShadowRoot
    const index = cells().indexOf(root.activeElement as HTMLButtonElement)
    const forward = getComputedStyle(grid).direction === 'rtl' ? -1 : 1
    const steps: Record<string, number> = {
      ArrowRight: forward,
      ArrowLeft: -forward,
      ArrowDown: columns,
      ArrowUp: -columns,
    }
    if (event.key === 'Escape') {
      // The panel would close, too.
      event.stopPropagation()
      close()
    } else if (event.key in steps) moveTo(index + steps[event.key]!)
    else return
    event.preventDefault()
  })
  return { button, grid, close }
}
