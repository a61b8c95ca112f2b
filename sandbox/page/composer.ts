// Where the customer writes, in the apps that have threads.
import { APPS, type MenuItem } from './apps.ts'
import { previewOf } from './bubbles.ts'
import { type App, base64Of, type Entry, type Json } from './control-client.ts'
import { element, icon } from './element.ts'
import type { Ask } from './tools.ts'

const INPUT_HEIGHT_MAX = 140

type Deps = {
  ask: Ask
  send: (message: Json) => void
  /** Changes what was sent before. */
  change: (entry: Entry, text: string) => void
}

export const makeComposer = ({ ask, send, change }: Deps) => {
  let quoted: Entry | null = null
  let edited: Entry | null = null
  let fileType = 'image'

  const bar = element('div', { class: 'quote-bar', hidden: true })
  const input = element('textarea', {
    rows: 1,
    placeholder: 'Message',
    'aria-label': 'Message',
    maxlength: 4096,
    dir: 'auto',
    enterkeyhint: 'send',
  })
  const picker = element('input', { type: 'file', hidden: true, 'aria-label': 'File' })
  const attach = element('details', { class: 'attach' })
  const menu = element('div', { class: 'menu' })
  attach.append(element('summary', { 'aria-label': 'Attach' }, icon('plus')), menu)

  const leaveBar = (): void => {
    if (edited) input.value = ''
    quoted = null
    edited = null
    bar.hidden = true
    grow()
  }
  const showBar = (text: string, label: string): void => {
    bar.hidden = false
    bar.replaceChildren(
      element('span', { dir: 'auto' }, text),
      element(
        'button',
        { type: 'button', class: 'plain', 'aria-label': label, on: { click: leaveBar } },
        icon('close'),
      ),
    )
    input.focus()
  }

  const sendMessage = (message: Json): void => {
    const replyTo = quoted?.id
    leaveBar()
    send({ ...message, ...(replyTo && { replyTo }) })
  }
  const sendText = (): void => {
    const text = input.value.trim()
    if (!text) return
    const target = edited
    input.value = ''
    if (target) {
      leaveBar()
      change(target, text)
    } else sendMessage({ type: 'text', text })
    grow()
  }
  const grow = (): void => {
    input.style.height = 'auto'
    input.style.height = `${Math.min(INPUT_HEIGHT_MAX, input.scrollHeight)}px`
  }
  input.addEventListener('input', grow)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault()
      sendText()
    }
    if (event.key === 'Escape') leaveBar()
  })
  picker.addEventListener('change', () => {
    const file = picker.files?.[0]
    picker.value = ''
    if (!file) return
    ask(async () =>
      sendMessage({
        type: fileType,
        data: await base64Of(file),
        mimeType: file.type || 'application/octet-stream',
        fileName: file.name,
      }),
    )
  })

  const menuButton = (item: MenuItem): HTMLElement =>
    element(
      'button',
      {
        type: 'button',
        on: {
          click: () => {
            attach.open = false
            if ('message' in item) return sendMessage(item.message())
            fileType = item.type
            picker.accept = item.accept
            picker.click()
          },
        },
      },
      icon(item.icon),
      item.label,
    )

  const form = element(
    'form',
    {
      class: 'composer',
      on: {
        submit: (event) => {
          event.preventDefault()
          sendText()
        },
      },
    },
    bar,
    element(
      'div',
      { class: 'line' },
      attach,
      input,
      element('button', { type: 'submit', class: 'send', 'aria-label': 'Send' }, icon('send')),
    ),
    picker,
  )

  return {
    form,
    focus: (): void => input.focus(),
    reset: leaveBar,
    showFor: (app: App): void => {
      menu.replaceChildren(...APPS[app].menu.map(menuButton))
    },
    quote: (entry: Entry): void => {
      leaveBar()
      quoted = entry
      showBar(previewOf(entry), 'Do not quote')
    },
    edit: (entry: Entry): void => {
      leaveBar()
      edited = entry
      input.value = String(entry.content.text)
      grow()
      showBar('Editing what you wrote', 'Leave it as it was')
    },
  }
}
