// The customers' mailboxes: the emails that they receive from the business and write to it.
import type { ParsedMail } from 'mailparser'
import type { PastEntry } from '../entry.ts'
import { ControlError } from '../http.ts'
import { type Hub, shownNow } from '../hub.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'
import { newNodeId } from '../whatsapp/ids.ts'
import { composeBounce, composeMail, type Draft } from './compose.ts'
import type { Mail, MailConnection, MailInput } from './mail.ts'

const MAILS_MAX = 2000
const RAW_KEPT_MAX_BYTES = 256 * 1024 * 1024

export type Mailbox = ReturnType<typeof makeMailbox>

export const makeMailbox = (hub: Hub) => {
  const outbox = makeOutbox('mail', hub)
  const connection: MailConnection = {
    address: 'support@demo.invalid',
    name: 'Hollow & Kiln',
    inboundUrl: null,
    inboundSecret: null,
  }
  const showMail = ({ attachments, references: _, ...mail }: Mail) => ({
    ...mail,
    html: mail.html !== null,
    atMs: hub.clock.shown(mail.atMs),
    attachments: attachments.map(({ name, mimeType, bytes }) => ({ name, mimeType, size: bytes.length })),
  })
  const publish = (mail: Mail): void =>
    hub.feed.publish('mail', () => ({ personId: mail.personId, mail: showMail(mail) }))
  const mails = makeStore(publish)

  const find = (id: string): Mail => {
    const mail = mails.find(id)
    if (!mail) throw new ControlError(`Email not found: ${id}`, 404)
    return mail
  }

  /** The person with this address; created if there is none. */
  const personAt = (address: string, name: string): Person | undefined =>
    hub.people.byEmail(address) ?? hub.people.add({ name: name || address, email: address })

  /** Posts the customer's email to the business as a mail server does. */
  const send = (person: Person, { draft, raw }: { draft: Draft; raw: Buffer }): Mail => {
    const { from, ...content } = draft
    const mail = newMail(person, {
      ...content,
      direction: 'written',
      atMs: hub.clock.now(),
      from: from.address,
      isRead: true,
    })
    mails.add(mail)
    const { inboundUrl, inboundSecret } = connection
    const headers = {
      'content-type': 'message/rfc822',
      ...(inboundSecret && { authorization: `Bearer ${inboundSecret}` }),
    }
    outbox.send(inboundUrl, raw, headers, (isAccepted) => {
      mail.isAccepted = isAccepted
      publish(mail)
    })
    return mail
  }

  return {
    connection,
    find,
    showMail,
    list: (personId: string) => mails.list(personId).map(showMail),
    unread: (personId: string): number => mails.list(personId).filter(({ isRead }) => !isRead).length,
    last: (personId: string) => {
      const mail = mails.list(personId).at(-1)
      return mail ? showMail(mail) : null
    },
    personAt,
    /** Restores an email from the business's records. */
    restore: (person: Person, past: PastEntry, subject: string | null): void =>
      mails.add(pastMail(connection, person, past, subject)),
    /** Stores one copy per recipient. */
    receive: async (raw: Buffer, recipients: readonly string[]): Promise<void> => {
      // Loaded with the first email, so the demo, and with it Foyer, starts faster.
      const { simpleParser } = await import('mailparser')
      const parsed = await simpleParser(raw, { skipTextToHtml: true, keepCidLinks: true })
      for (const recipient of recipients) {
        const person = personAt(recipient, nameIn(parsed, recipient))
        if (person) mails.add(receivedMail(parsed, person, hub.clock.now()))
      }
    },
    /** Sends an email from the customer. */
    write: async (person: Person, input: MailInput): Promise<Mail> => {
      if (!person.email) throw new ControlError(`${person.name} has no email address.`)
      const found = input.replyTo === undefined ? null : find(input.replyTo)
      const answered = found && { ...found, atMs: hub.clock.shown(found.atMs) }
      if (answered && answered.personId !== person.id)
        throw new ControlError('This email belongs to someone else.')
      if (input.kind !== 'mail' && !answered)
        throw new ControlError(`${input.kind} requires replyTo: the email that it replies to.`)
      const writer = { name: person.name, address: person.email }
      const at = new Date(shownNow(hub))
      if (input.kind === 'bounce') return send(person, composeBounce(writer, answered!, at))
      return send(person, await composeMail(writer, connection, answered, input, at))
    },
    stop: outbox.stop,
  }
}

/** The emails of all mailboxes. Beyond a limit, the oldest are deleted. */
const makeStore = (onAdded: (mail: Mail) => void) => {
  /** Oldest first. */
  const mails = new Map<string, Mail>()
  const byPerson = new Map<string, Mail[]>()
  let keptBytes = 0
  const list = (personId: string): Mail[] => byPerson.get(personId) ?? []
  const remove = (mail: Mail): void => {
    mails.delete(mail.id)
    const rest = list(mail.personId).filter((one) => one !== mail)
    byPerson.set(mail.personId, rest)
    keptBytes -= sizeOf(mail)
  }
  return {
    list,
    find: (id: string): Mail | undefined => mails.get(id),
    add: (mail: Mail): void => {
      mails.set(mail.id, mail)
      byPerson.set(mail.personId, [...list(mail.personId), mail])
      keptBytes += sizeOf(mail)
      for (const oldest of mails.values()) {
        if (mails.size <= MAILS_MAX && (keptBytes <= RAW_KEPT_MAX_BYTES || mails.size === 1)) break
        remove(oldest)
      }
      onAdded(mail)
    },
  }
}

const newMail = (
  { id: personId }: Person,
  given: Pick<Mail, 'direction' | 'atMs' | 'from' | 'to' | 'subject' | 'messageId' | 'text'> & Partial<Mail>,
): Mail => ({
  id: newNodeId(),
  personId,
  replyTo: null,
  references: [],
  html: null,
  attachments: [],
  isRead: false,
  isAccepted: null,
  ...given,
})

const sizeOf = ({ text, html, attachments }: Mail): number =>
  text.length + (html?.length ?? 0) + attachments.reduce((sum, { bytes }) => sum + bytes.length, 0)

const nameIn = ({ to }: ParsedMail, address: string): string =>
  [to ?? []]
    .flat()
    .flatMap(({ value }) => value)
    .find((one) => one.address?.toLowerCase() === address.toLowerCase())?.name ?? ''

const receivedMail = (parsed: ParsedMail, person: Person, atMs: number): Mail =>
  newMail(person, {
    direction: 'received',
    atMs,
    from: parsed.from?.text ?? '',
    to: [parsed.to ?? []]
      .flat()
      .map(({ text }) => text)
      .join(', '),
    replyTo: parsed.replyTo?.value[0]?.address ?? parsed.from?.value[0]?.address ?? null,
    subject: parsed.subject ?? '',
    messageId: parsed.messageId ?? null,
    references: [parsed.references ?? []].flat(),
    text: parsed.text ?? '',
    html: parsed.html || null,
    attachments: parsed.attachments.map(({ filename, contentType, content, cid }) => ({
      name: filename ?? 'attachment',
      mimeType: contentType,
      bytes: content,
      cid: cid ?? null,
    })),
  })

const pastMail = (
  { name, address }: MailConnection,
  person: Person,
  { id, from, atMs, text }: PastEntry,
  subject: string | null,
): Mail =>
  newMail(person, {
    ...(from === 'customer'
      ? { direction: 'written', from: person.email!, to: address, isAccepted: true }
      : { direction: 'received', from: `${name} <${address}>`, to: person.email! }),
    atMs,
    replyTo: address,
    subject: subject ?? '',
    messageId: id.includes('@') ? `<${id.replace(/^<|>$/g, '')}>` : null,
    text,
    isRead: true,
  })
