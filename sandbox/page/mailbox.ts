// The customer's mailbox: the mails, one mail opened, and the sheet to write on.
import {
  base64Of,
  getMails,
  type Mail,
  mailHtmlUrl,
  mailPartUrl,
  type Person,
  readMail,
  writeMail,
} from './control-client.ts'
import { element, icon } from './element.ts'
import { shortTimeOf, timeOf } from './store.ts'
import type { Ask } from './tools.ts'

const nameIn = (from: string): string => from.replace(/\s*<[^>]*>/, '').replaceAll('"', '') || from
const TAKEN = { true: 'The business has it', false: 'Was not taken', null: 'On its way' }

export const makeMailbox = (ask: Ask, onRead: () => void) => {
  const view = element('div', { class: 'mailbox', hidden: true })
  let person: Person | undefined
  let mails: Mail[] = []
  let openId: string | null = null
  let isWriting = false

  const button = (label: string, work: () => void, isQuiet = true): HTMLElement =>
    element(
      'button',
      { type: 'button', class: `action${isQuiet ? ' quiet' : ''}`, on: { click: work } },
      label,
    )

  const row = (mail: Mail): HTMLElement =>
    element(
      'button',
      {
        type: 'button',
        class: mail.isRead ? '' : 'unread',
        'data-mail': mail.id,
        on: { click: () => open(mail) },
      },
      element('b', { dir: 'auto' }, mail.direction === 'written' ? 'You' : nameIn(mail.from)),
      element('time', {}, shortTimeOf(mail.atMs)),
      element('span', { class: 'subject', dir: 'auto' }, mail.subject || 'No subject'),
      element('span', { class: 'snippet', dir: 'auto' }, mail.text.slice(0, 120)),
    )

  const showList = (): void => {
    openId = null
    isWriting = false
    const newest = [...mails].reverse()
    view.replaceChildren(
      element(
        'div',
        { class: 'mails' },
        ...(newest.length > 0
          ? newest.map(row)
          : [
              element(
                'div',
                { class: 'nothing' },
                element('p', {}, 'No mail yet.'),
                element('p', {}, 'Write one: the business gets it as from any mail server.'),
              ),
            ]),
      ),
      element(
        'div',
        { class: 'bar' },
        button('New mail', () => showSheet(null), false),
      ),
    )
  }

  const open = (mail: Mail): void => {
    openId = mail.id
    isWriting = false
    if (!mail.isRead) {
      mail.isRead = true
      ask(() => readMail(mail.id))
      onRead()
    }
    let showsHtml = mail.html
    const body = element('div', { style: 'display:contents' })
    const drawBody = (): void =>
      body.replaceChildren(
        showsHtml
          ? element('iframe', {
              src: mailHtmlUrl(mail.id),
              title: 'The mail',
              sandbox: 'allow-popups allow-popups-to-escape-sandbox',
            })
          : element('pre', { dir: 'auto' }, mail.text || 'Nothing is written in it.'),
      )
    const flip = element('button', { type: 'button', class: 'switch-text' }, 'Show as plain text')
    flip.addEventListener('click', () => {
      showsHtml = !showsHtml
      flip.textContent = showsHtml ? 'Show as plain text' : 'Show as it looks'
      drawBody()
    })
    drawBody()
    const isReceived = mail.direction === 'received'
    view.replaceChildren(
      element(
        'article',
        { class: 'mail', 'data-mail': mail.id, tabindex: 0, 'aria-label': 'Mail' },
        element(
          'header',
          {},
          element('h2', { dir: 'auto' }, mail.subject || 'No subject'),
          element(
            'p',
            { dir: 'auto' },
            `${isReceived ? mail.from : 'You'} · ${shortTimeOf(mail.atMs)} ${timeOf(mail.atMs)}`,
          ),
          element(
            'p',
            { dir: 'auto' },
            isReceived ? `to ${mail.to}` : `to ${mail.to} · ${TAKEN[`${mail.isTaken}`]}`,
          ),
          mail.html && flip,
        ),
        mail.attachments.length > 0 &&
          element(
            'div',
            { class: 'parts' },
            ...mail.attachments.map(({ name, size }, at) =>
              element(
                'a',
                { href: mailPartUrl(mail.id, at), download: name },
                icon('file'),
                `${name} · ${Math.max(1, Math.round(size / 1024))} kB`,
              ),
            ),
          ),
        body,
      ),
      element(
        'div',
        { class: 'bar' },
        button('Inbox', showList),
        isReceived && button('Reply', () => showSheet(mail), false),
        isReceived && button('I am away', () => answer('auto-reply', mail)),
        isReceived && button('Bounce', () => answer('bounce', mail)),
      ),
    )
  }

  const answer = (kind: 'auto-reply' | 'bounce', mail: Mail): void =>
    ask(async () => {
      await writeMail(person!.id, { kind, replyTo: mail.id })
      showList()
    })

  const showSheet = (answered: Mail | null): void => {
    isWriting = true
    const subject = element('input', { 'aria-label': 'Subject', placeholder: 'Subject', maxlength: 300 })
    const text = element('textarea', { 'aria-label': 'Mail', placeholder: 'Write…', dir: 'auto' })
    const picker = element('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files' })
    const parts = element('div', { class: 'parts' })
    const files: File[] = []
    picker.addEventListener('change', () => {
      files.push(...(picker.files ?? []))
      picker.value = ''
      parts.replaceChildren(...files.map(({ name }) => element('span', {}, icon('file'), name)))
    })
    const send = (): void => {
      if (!text.value.trim() && files.length === 0) {
        text.focus()
        return
      }
      ask(async () => {
        await writeMail(person!.id, {
          kind: 'mail',
          ...(answered ? { replyTo: answered.id } : { subject: subject.value }),
          text: text.value,
          attachments: await Promise.all(
            files.map(async (file) => ({
              fileName: file.name,
              mimeType: file.type || 'application/octet-stream',
              data: await base64Of(file),
            })),
          ),
        })
        await reload()
        showList()
      })
    }
    view.replaceChildren(
      element(
        'div',
        { class: 'sheet' },
        answered
          ? element(
              'p',
              { class: 'small', dir: 'auto' },
              `Re: ${answered.subject} · everything is quoted below`,
            )
          : subject,
        text,
        parts,
        picker,
      ),
      element(
        'div',
        { class: 'bar' },
        button('Discard', () => (answered ? open(answered) : showList())),
        button('Attach', () => picker.click()),
        button('Send', send, false),
      ),
    )
    ;(answered ? text : subject).focus()
  }

  const reload = async (): Promise<void> => {
    mails = person ? await getMails(person.id) : []
  }

  return {
    view,
    show: async (shown: Person): Promise<void> => {
      person = shown
      await reload()
      showList()
    },
    /** Something came or changed; what is being written stays. */
    refresh: async (): Promise<void> => {
      await reload()
      if (isWriting) return
      const mail = mails.find(({ id }) => id === openId)
      if (!mail) showList()
    },
  }
}
