// The composer: the input field, the count of characters left, and the send button.
import { createIcon, element } from './element.ts'
import { createEmojiPicker } from './emoji.ts'
import { createTray, type Tray } from './tray.ts'
import type { Attachment } from './types.ts'
import type { Send } from './uploads.ts'
import { plural, words } from './words.ts'

const bodyMax = 2000
const counterFrom = 1800
const composerHeightMaxPx = 132

export type Draft = {
  draft: string
  /** False: not accepted, keep the text. */
  send: (body: string, files: Attachment[]) => boolean
  /** Too much is waiting to be sent. */
  isFull: () => boolean
  upload: Send
  edit: (text: string) => void
}

export const createComposer = (
  { draft, send, isFull, upload, edit }: Draft,
  acceptsFiles: boolean,
  onSent: () => void,
) => {
  const { input, counter, sendButton } = createParts()
  const emoji = createEmojiPicker(
    (character) => {
      input.setRangeText(character, input.selectionStart, input.selectionEnd, 'end')
      update()
      edit(input.value)
    },
    () => input.focus({ preventScroll: true }),
  )
  const tray = createTray(upload, () => update())
  const form = element('form', { class: 'composer' }, [
    emoji.grid,
    ...tray.nodes,
    element('div', { class: 'field' }, [
      ...[input, emoji.button],
      ...(acceptsFiles ? [tray.button] : []),
      sendButton,
    ]),
    counter,
  ])

  const update = (): void => {
    const length = [...input.value.trim()].length
    const left = bodyMax - length
    counter.hidden = length < counterFrom
    counter.textContent = left >= 0 ? plural(words.left, left) : plural(words.over, -left)
    counter.toggleAttribute('data-over', left < 0)
    input.setAttribute('aria-invalid', String(left < 0))
    const isEmpty = length === 0 && tray.count() === 0
    sendButton.disabled = isEmpty || !tray.isReady() || left < 0 || input.disabled
    input.style.height = 'auto'
    // Hidden elements measure 0; the height is set again on open.
    if (input.scrollHeight > 0) input.style.height = `${Math.min(input.scrollHeight, composerHeightMaxPx)}px`
    input.style.overflowY = input.scrollHeight > composerHeightMaxPx ? 'auto' : 'hidden'
  }

  const showFull = (): void => {
    counter.hidden = false
    counter.textContent = words.outboxFull
  }

  const submit = (): void => {
    const body = input.value.trim()
    if (sendButton.disabled) return
    const files = isFull() ? null : tray.take()
    if (files === null || !send(body, files)) {
      showFull()
      return
    }
    input.value = ''
    update()
    onSent()
    input.focus()
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
  input.addEventListener('input', () => {
    update()
    edit(input.value)
  })
  if (acceptsFiles) acceptPastes(input, tray)
  sendOnEnter(input, submit)

  const setText = (text: string): void => {
    input.value = text
    update()
  }
  input.value = draft

  return {
    form,
    update,
    showFull,
    setText,
    tray,
    /** False: writing isn't possible, so the field doesn't take focus. */
    focus: (): boolean => {
      input.focus({ preventScroll: true })
      return !input.disabled
    },
    disable: (): void => {
      input.disabled = true
      emoji.button.disabled = true
      tray.button.disabled = true
      update()
    },
  }
}

const createParts = () => {
  const input = element('textarea', {
    rows: '1',
    dir: 'auto',
    placeholder: words.placeholder,
    'aria-label': words.composer,
    'aria-describedby': 'foyer-counter',
    enterkeyhint: 'send',
    autocomplete: 'off',
  })
  const counter = element('p', { class: 'counter', id: 'foyer-counter', 'aria-live': 'polite', hidden: '' })
  const sendButton = element(
    'button',
    { type: 'submit', class: 'send', 'aria-label': words.send, disabled: '' },
    [createIcon('M12 19V5m-6 6 6-6 6 6')],
  )
  return { input, counter, sendButton }
}

const acceptPastes = (input: HTMLTextAreaElement, tray: Tray): void =>
  input.addEventListener('paste', (event) => {
    const files = event.clipboardData?.files
    if (!files?.length) return
    event.preventDefault()
    tray.add(files)
  })

const sendOnEnter = (input: HTMLTextAreaElement, submit: () => void): void =>
  input.addEventListener('keydown', (event) => {
    // Enter also confirms a word in an input method; that must not send (229: Safari's event order).
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  })
