// Asks for an email address when nobody is there, once in a conversation, and says where replies go. Part of the thread,
// below the last message.
import { ApiFailure } from './api.ts'
import type { Visitor } from './chatting.ts'
import { createIcon, element } from './element.ts'
import type { Settings } from './settings.ts'
import type { Bubble } from './thread.ts'
import { fill, words } from './words.ts'

const minuteMs = 60_000

/** Null: they would rather not say. */
export type LeaveEmail = (address: string | null) => Promise<void>

type Asking = Pick<Settings, 'asksEmail' | 'askAfterMinutes' | 'isOpen'>

/** Since when the visitor has waited for a reply; null if they don't. */
export const waitingSince = (bubbles: readonly Bubble[]): number | null => {
  const lastReply = bubbles.map(({ senderType }) => senderType !== 'customer').lastIndexOf(true)
  const first = bubbles.slice(lastReply + 1).find(({ id }) => id !== null)
  return first ? Date.parse(first.createdAt) : null
}

/** When to ask; null: not now. `isOnline` is null until it is known. */
export const askingFrom = (
  bubbles: readonly Bubble[],
  isOnline: boolean | null,
  { asksEmail, askAfterMinutes, isOpen }: Asking,
): number | null => {
  const since = waitingSince(bubbles)
  if (!asksEmail || since === null) return null
  return isOpen === false || isOnline === false ? since : since + (askAfterMinutes ?? 5) * minuteMs
}

const createParts = () => {
  const input = element('input', {
    type: 'email',
    class: 'ask-input',
    dir: 'ltr',
    autocomplete: 'email',
    inputmode: 'email',
    placeholder: words.emailLabel,
    'aria-label': words.emailLabel,
    'aria-describedby': 'foyer-ask foyer-ask-error',
  })
  const error = element('p', { class: 'ask-error', id: 'foyer-ask-error', role: 'alert' })
  const save = element('button', { type: 'submit', class: 'ask-save' }, words.emailSave)
  const skip = element('button', { type: 'button', class: 'icon-button', 'aria-label': words.dismiss }, [
    createIcon('M6 6l12 12M18 6 6 18'),
  ])
  const form = element('form', { class: 'ask', novalidate: '', hidden: '' }, [
    element('div', { class: 'ask-head' }, [element('p', { id: 'foyer-ask' }, words.emailAsk), skip]),
    element('div', { class: 'ask-field' }, [input, save]),
    error,
  ])
  const change = element('button', { type: 'button' }, words.emailChange)
  const savedText = element('span', { dir: 'auto' })
  const saved = element('p', { class: 'ask-saved', role: 'status', hidden: '' }, [savedText, ' ', change])
  return { form, input, error, save, skip, saved, savedText, change }
}

export const createEmailAsk = (settings: Asking, leave: LeaveEmail, onChange: () => void) => {
  const { form, input, error, save, skip, saved, savedText, change } = createParts()
  let isOnline: boolean | null = null
  let isChanging = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let last: [Bubble[], Visitor] | undefined

  const update = (): void => {
    clearTimeout(timer)
    if (!last) return
    const [bubbles, { email, isReady }] = last
    const from = askingFrom(bubbles, isOnline, settings)
    const leftMs = from === null ? null : from - Date.now()
    if (leftMs !== null && leftMs > 0) timer = setTimeout(update, leftMs)
    const isDue = isReady && leftMs !== null && leftMs <= 0
    // A reply doesn't take the field away from somebody who is typing in it.
    const isInUse = !form.hidden && (input.value !== '' || isChanging)
    const isAsking = isChanging || (email === null && (isDue || isInUse))
    const address = email?.address ?? null
    const before = `${form.hidden}${saved.hidden}`
    form.hidden = !isAsking
    saved.hidden = isAsking || address === null || !isDue
    if (address !== null) savedText.textContent = fill(words.emailSaved, { email: `\u2068${address}\u2069` })
    if (before !== `${form.hidden}${saved.hidden}`) onChange()
  }
  const finish = async (address: string | null): Promise<void> => {
    error.textContent = ''
    save.disabled = true
    try {
      await leave(address)
      isChanging = false
      input.value = ''
    } catch (failure) {
      const isInvalid = failure instanceof ApiFailure && failure.status === 400
      error.textContent = isInvalid ? words.emailInvalid : `${words.notSent} ${words.tryAgain}.`
      input.setAttribute('aria-invalid', String(isInvalid))
    }
    save.disabled = false
    update()
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const address = input.value.trim()
    if (address !== '' && input.validity.valid) void finish(address)
    else {
      error.textContent = words.emailInvalid
      input.focus()
    }
  })
  input.addEventListener('input', () => {
    error.textContent = ''
    input.removeAttribute('aria-invalid')
  })
  skip.addEventListener('click', () => {
    if (!isChanging) return void finish(null)
    isChanging = false
    input.value = ''
    update()
  })
  change.addEventListener('click', () => {
    isChanging = true
    input.value = last?.[1].email?.address ?? ''
    update()
    input.focus()
  })

  return {
    nodes: [form, saved],
    render: (bubbles: Bubble[], visitor: Visitor): void => {
      last = [bubbles, visitor]
      update()
    },
    setPresence: (online: boolean): void => {
      isOnline = online
      update()
    },
    /** For another visitor. */
    startOver: (): void => {
      isChanging = false
      input.value = ''
      last = undefined
      form.hidden = true
      saved.hidden = true
    },
  }
}
