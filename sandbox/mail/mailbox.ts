// The customers' mailboxes: the emails that they receive from the business and write to it.
import type { ParsedMail } from 'mailparser'
import Type, { type Static } from 'typebox'
import { ControlError } from '../http.ts'
import { type Hub, shownNow } from '../hub.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'
import { Address, closed } from '../shapes.ts'
import { newNodeId } from '../whatsapp/ids.ts'
import { composeBounce, composeMail, type Draft } from './compose.ts'

export const MailConnection = Type.Object({
  /** The business's address and name. */
  address: Type.String(),
  name: Type.String(),
  /** Where raw emails are posted, and the bearer token for it. */
  inboundUrl: Address,
  inboundSecret: Address,
})
export type MailConnection = Static<typeof MailConnection>

export type Attachment = { name: string; mimeType: string; bytes: Buffer; cid: string | null }

export type Mail = {
  id: string
  personId: string
  /** Received from the business, or written by the customer. */
  direction: 'received' | 'written'
  atMs: number
  from: string
  to: string
  replyTo: string | null
  subject: string
  messageId: string | null
  references: string[]
  text: string
  html: string | null
  attachments: Attachment[]
  isRead: boolean
  /** Whether the business accepted the customer's email; null until it responds. */
  isTaken: boolean | null
  isBounce: boolean
}

const File = Type.Object({
  fileName: Type.String({ maxLength: 255 }),
  mimeType: Type.String(),
  data: Type.String(),
})
export const MailInput = closed({
  kind: Type.Enum(['mail', 'auto-reply', 'bounce']),
  /** Replies to this email and quotes it. */
  replyTo: Type.Optional(Type.String({ maxLength: 200 })),
  subject: Type.Optional(Type.String({ maxLength: 500 })),
  text: Type.Optional(Type.String({ maxLength: 200_000 })),
  attachments: Type.Optional(Type.Array(File, { maxItems: 10 })),
})
export type MailInput = Static<typeof MailInput>

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
  /** Oldest first. */
  const mails = new Map<string, Mail>()
  const byPerson = new Map<string, Mail[]>()
  let keptBytes = 0

  const mailsOf = (personId: string): Mail[] => byPerson.get(personId) ?? []
  const forget = (mail: Mail): void => {
    mails.delete(mail.id)
    byPerson.set(
      mail.personId,
      mailsOf(mail.personId).filter((one) => one !== mail),
    )
    keptBytes -= sizeOf(mail)
  }
  const keep = (mail: Mail): void => {
    mails.set(mail.id, mail)
    byPerson.set(mail.personId, [...mailsOf(mail.personId), mail])
    keptBytes += sizeOf(mail)
    for (const oldest of mails.values()) {
      if (mails.size <= MAILS_MAX && (keptBytes <= RAW_KEPT_MAX_BYTES || mails.size === 1)) break
      forget(oldest)
    }
    hub.feed.tell('mail', () => ({ personId: mail.personId, mail: showMail(mail) }))
  }

  const showMail = ({ attachments, references: _, ...mail }: Mail) => ({
    ...mail,
    html: mail.html !== null,
    atMs: hub.clock.shown(mail.atMs),
    attachments: attachments.map(({ name, mimeType, bytes }) => ({ name, mimeType, size: bytes.length })),
  })

  const find = (id: string): Mail => {
    const mail = mails.get(id)
    if (!mail) throw new ControlError(`Email not found: ${id}`, 404)
    return mail
  }

  /** The person with this address; created if there is none. */
  const personAt = (address: string, name: string): Person | undefined =>
    hub.people.byEmail(address) ?? hub.people.add({ name: name || address, email: address })

  const written = (person: Person, draft: Draft, raw: Buffer, isBounce: boolean): Mail => {
    const mail: Mail = {
      id: newNodeId(),
      personId: person.id,
      direction: 'written',
      atMs: hub.clock.now(),
      from: draft.from.address,
      to: draft.to,
      replyTo: null,
      subject: draft.subject,
      messageId: draft.messageId,
      references: draft.references,
      text: draft.text,
      html: null,
      attachments: draft.attachments,
      isRead: true,
      isTaken: null,
      isBounce,
    }
    keep(mail)
    const { inboundUrl, inboundSecret } = connection
    const headers = {
      'content-type': 'message/rfc822',
      ...(inboundSecret && { authorization: `Bearer ${inboundSecret}` }),
    }
    outbox.tell(inboundUrl, raw, headers, (isTaken) => {
      mail.isTaken = isTaken
      hub.feed.tell('mail', () => ({ personId: person.id, mail: showMail(mail) }))
    })
    return mail
  }

  return {
    connection,
    find,
    showMail,
    list: (personId: string) => mailsOf(personId).map(showMail),
    unread: (personId: string): number => mailsOf(personId).filter(({ isRead }) => !isRead).length,
    last: (personId: string) => {
      const mail = mailsOf(personId).at(-1)
      return mail ? showMail(mail) : null
    },
    personAt,
    /** Restores an email from the business's records. */
    restore: (
      person: Person,
      past: { id: string; from: 'customer' | 'business'; atMs: number; text: string; subject: string | null },
    ): void => {
      const isWritten = past.from === 'customer'
      const ours = `${connection.name} <${connection.address}>`
      keep({
        id: newNodeId(),
        personId: person.id,
        direction: isWritten ? 'written' : 'received',
        atMs: past.atMs,
        from: isWritten ? person.email! : ours,
        to: isWritten ? connection.address : person.email!,
        replyTo: connection.address,
        subject: past.subject ?? '',
        messageId: past.id.includes('@') ? `<${past.id.replace(/^<|>$/g, '')}>` : null,
        references: [],
        text: past.text,
        html: null,
        attachments: [],
        isRead: true,
        isTaken: isWritten ? true : null,
        isBounce: false,
      })
    },
    /** Stores one copy per recipient. */
    receive: async (raw: Buffer, recipients: readonly string[]): Promise<void> => {
      // Loaded with the first email, so the demo, and with it Foyer, starts faster.
      const { simpleParser } = await import('mailparser')
      const parsed = await simpleParser(raw, { skipTextToHtml: true, keepCidLinks: true })
      for (const recipient of recipients) {
        const person = personAt(recipient, nameIn(parsed, recipient))
        if (person) keep(receivedMail(parsed, person, hub.clock.now()))
      }
    },
    /** Sends an email from the customer: posts it to the business as a mail server does. */
    write: async (person: Person, input: MailInput): Promise<Mail> => {
      if (!person.email) throw new ControlError(`${person.name} has no email address.`)
      const found = input.replyTo === undefined ? null : find(input.replyTo)
      const answered = found && { ...found, atMs: hub.clock.shown(found.atMs) }
      if (answered && answered.personId !== person.id)
        throw new ControlError('This email belongs to someone else.')
      if (input.kind !== 'mail' && !answered)
        throw new ControlError(`${input.kind} needs replyTo: the email that it answers.`)
      const writer = { name: person.name, address: person.email }
      const at = new Date(shownNow(hub))
      if (input.kind === 'bounce') {
        const { draft, raw } = composeBounce(writer, answered!, at)
        return written(person, draft, raw, true)
      }
      const { draft, raw } = await composeMail(writer, connection, answered, input, at)
      return written(person, draft, raw, false)
    },
    stop: outbox.stop,
  }
}

const sizeOf = ({ text, html, attachments }: Mail): number =>
  text.length + (html?.length ?? 0) + attachments.reduce((sum, { bytes }) => sum + bytes.length, 0)

const nameIn = ({ to }: ParsedMail, address: string): string =>
  [to ?? []]
    .flat()
    .flatMap(({ value }) => value)
    .find((one) => one.address?.toLowerCase() === address.toLowerCase())?.name ?? ''

const receivedMail = (parsed: ParsedMail, person: Person, atMs: number): Mail => ({
  id: newNodeId(),
  personId: person.id,
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
  isRead: false,
  isTaken: null,
  isBounce: false,
})
