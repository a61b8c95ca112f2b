// One registry of available commands: keys run them, the palette lists them, the help overlay explains them.
import type { LucideIcon } from 'lucide-react'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { t } from '../words/t.ts'

export type Command = {
  id: string
  label: string
  group: string
  /** `j`, `mod+k`, `g i` (a sequence), `shift+r`. Alternatives: ['j', 'arrowdown']. */
  keys?: string | string[]
  icon?: LucideIcon
  run: () => void
  /** False: available by key and listed in the help, but of no use in the palette (moving a selection). */
  inPalette?: boolean
  /** Also runs while typing. Only for keys with `mod`, and Escape. */
  whileTyping?: boolean
  /** Handled by the element that has focus; only listed in the help. */
  isNative?: boolean
}

const SEQUENCE_MAX_MS = 1_200

let sets: { commands: Command[] }[] = []
let all: Command[] = []
const listeners = new Set<() => void>()
const changed = () => {
  all = sets.flatMap(({ commands }) => commands)
  for (const listener of listeners) listener()
}

export const keysOf = ({ keys }: Command): string[] => (keys === undefined ? [] : [keys].flat())

/** Registers commands while the component is mounted. For the same key, the newest wins. */
export const useCommands = (commands: Command[]): void => {
  const latest = useRef(commands)
  latest.current = commands
  // The functions change on every render; the list only changes with the labels and keys.
  const signature = commands.map(({ id, label, keys }) => `${id} ${label} ${keys}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature covers the list
  useEffect(() => {
    const set = {
      commands: latest.current.map((command, index) => ({
        ...command,
        run: () => latest.current[index]?.run(),
      })),
    }
    sets = [...sets, set]
    changed()
    return () => {
      sets = sets.filter((other) => other !== set)
      changed()
    }
  }, [signature])
}

export const useAllCommands = (): Command[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => all,
  )

const LAST_GROUPS = [t`Go`, t`Workspaces`, t`General`]

/** Commands of the current screen come first, global ones last. */
export const groupsOf = (commands: readonly Command[]): string[] => {
  const groups = [...new Set(commands.map(({ group }) => group))]
  return [
    ...groups.filter((group) => !LAST_GROUPS.includes(group)).reverse(),
    ...LAST_GROUPS.filter((group) => groups.includes(group)),
  ]
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(checkbox|radio|button|submit|range)$/.test(target.type)))

const chordOf = (event: KeyboardEvent): string => {
  const parts: string[] = []
  if (event.ctrlKey || event.metaKey) parts.push('mod')
  if (event.altKey) parts.push('alt')
  // Keys such as "?" need Shift on some keyboards but not on others.
  if (event.shiftKey && (event.key.length > 1 || /^[a-z]$/i.test(event.key))) parts.push('shift')
  parts.push(event.key.toLowerCase())
  return parts.join('+')
}

/** Also one whose code or content is still being loaded: see popup-trigger.tsx and shell.tsx. */
const OVERLAY = '[role="dialog"],[role="menu"],[aria-haspopup][aria-expanded="true"],[data-opening]'
const INSIDE = '[role="dialog"],[role="menu"]'

let prefix = ''
let prefixMs = 0
/** What was typed while an overlay was opening, for its field. */
let typedAhead = ''

/** The focus is outside of the overlay, or on the overlay itself as long as it has no field. */
const isWaiting = (target: EventTarget | null): boolean =>
  target instanceof Element && (target.role === 'dialog' || target.closest(INSIDE) === null)

const onKeyDown = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.isComposing || /^(Shift|Control|Alt|Meta)$/.test(event.key)) return
  const chord = chordOf(event)
  const typing = isTyping(event.target)
  const isOverlaid = document.querySelector(OVERLAY) !== null
  if (!isOverlaid) typedAhead = ''
  const sequence = prefix && event.timeStamp - prefixMs < SEQUENCE_MAX_MS ? `${prefix} ${chord}` : null
  prefix = ''
  const find = (keys: string): Command | undefined =>
    all.findLast(
      (command) =>
        !command.isNative &&
        keysOf(command).includes(keys) &&
        (command.whileTyping || (!typing && !isOverlaid)),
    )
  const command = (sequence && find(sequence)) || find(chord)
  if (command) {
    event.preventDefault()
    command.run()
  } else if (isOverlaid) {
    if (typing || !isWaiting(event.target) || chord.startsWith('mod') || event.key.length > 1) return
    event.preventDefault()
    typedAhead += event.key
  } else if (!typing && all.some((other) => keysOf(other).some((keys) => keys.startsWith(`${chord} `)))) {
    prefix = chord
    prefixMs = event.timeStamp
  }
}

const onFocusIn = ({ target }: FocusEvent): void => {
  if (!typedAhead || !isTyping(target) || !(target as Element).closest(INSIDE)) return
  const text = typedAhead
  typedAhead = ''
  // The only way to type into a field so that whoever drew it hears of it.
  document.execCommand('insertText', false, text)
}

export const startKeyboard = (): void => {
  window.addEventListener('keydown', onKeyDown)
  window.addEventListener('focusin', onFocusIn)
}
