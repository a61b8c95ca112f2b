import type { MailAddress, ParsedMail } from '../../../../channels/channel.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ArchiveWriter } from '../archive-writer.ts'
import { hashOf } from '../import-queries.ts'
import { type MailThread, makeMailThreads } from './mail-threads.ts'
import { type MboxEmail, splitMbox } from './split-mbox.ts'

const BODY_MAX = 50_000
const SHOWN_MAX = 50
const EARLIEST_MS = 0

export type MboxCounts = { emails: number; repeated: number; left: number }

type Options = {
  /** Our own: what is from them is a reply. The first is the mailbox. */
  addresses: readonly string[]
  writer: ArchiveWriter
  /** Of an email that is left out, or not whole. */
  onProblem: (problem: { email: number; messageId: string; problem: string }) => void
}

/** Writes the emails of an mbox as an archive. One email is in memory at a time, and the ids of all. */
export const readMbox = async (
  ctx: Pick<Ctx, 'channels' | 'now'>,
  source: AsyncIterable<Buffer>,
  { addresses, writer, onProblem }: Options,
): Promise<MboxCounts> => {
  const own = new Set(addresses.map((one) => one.toLowerCase()))
  const threads = makeMailThreads()
  const people = new Map<string, string>()
  const agents = new Set<string>()
  const counts: MboxCounts = { emails: 0, repeated: 0, left: 0 }
  let lastAt = ctx.now()
  for await (const email of splitMbox(source)) {
    counts.emails++
    const mail = await ctx.channels.email.parseMail(email.raw)
    const problem = (text: string) =>
      onProblem({ email: counts.emails, messageId: mail.messageId, problem: text })
    if (!threads.isNew(mail.messageId)) {
      counts.repeated++
      continue
    }
    const parties = mail.bounce || mail.complaint ? 'is a delivery report' : partiesOf(mail, own)
    if (typeof parties === 'string') {
      counts.left++
      problem(parties)
      continue
    }
    if (email.isCut || !mail.isWhole) problem('could not be read in full')
    lastAt = timeOf(mail, email) ?? lastAt
    const { customer, agent } = parties
    const { thread, at } = threads.place(mail, customer.address.toLowerCase(), lastAt)
    if (!people.get(thread.address)) people.set(thread.address, customer.name)
    if (agent) agents.add(agent)
    await writeMessage(writer, { mail, thread, at, agent })
  }
  await writePlaces(writer, { mailbox: addresses[0]!, threads: threads.all(), people, agents })
  return counts
}

/** A date before 1970 is nobody's clock. */
const timeOf = ({ date }: ParsedMail, { receivedAt }: MboxEmail): Date | null =>
  [date, receivedAt].find((one) => one !== null && one.getTime() >= EARLIEST_MS) ?? null

type Parties = { customer: MailAddress; agent: string | null }

const partiesOf = (mail: ParsedMail, own: ReadonlySet<string>): Parties | string => {
  const isOwn = ({ address }: MailAddress) => own.has(address.toLowerCase())
  if (!mail.from) return 'has no sender'
  if (!isOwn(mail.from)) return { customer: mail.from, agent: null }
  // A website's contact form sends from our address and puts the customer in Reply-To.
  if (mail.replyTo && !isOwn(mail.replyTo)) return { customer: mail.replyTo, agent: null }
  const customer = [...mail.to, ...mail.cc].find((one) => !isOwn(one))
  return customer ? { customer, agent: mail.from.address.toLowerCase() } : 'is to nobody else'
}

type Written = { mail: ParsedMail; thread: MailThread; at: Date; agent: string | null }

const writeMessage = async (writer: ArchiveWriter, { mail, thread, at, agent }: Written): Promise<void> => {
  const visible = mail.visible.trim()
  const id = hashOf(mail.messageId)
  await writer.write('messages', {
    id,
    conversationId: thread.id,
    senderType: agent === null ? 'customer' : 'agent',
    senderId: agent,
    body: (visible || (mail.attachments.length > 0 ? '' : mail.subject || '(no text)')).slice(0, BODY_MAX),
    externalId: mail.messageId,
    createdAt: at.toISOString(),
    metadata: {
      subject: mail.subject,
      from: mail.from,
      to: mail.to.slice(0, SHOWN_MAX),
      ...(mail.cc.length > 0 && { cc: mail.cc.slice(0, SHOWN_MAX) }),
      ...(mail.date && { date: mail.date.toISOString() }),
      ...(visible !== mail.text.trim() && { hasMore: true }),
      ...(mail.automatic && { automatic: mail.automatic }),
    },
    email: { text: mail.text, referenceIds: mail.references.length > 0 ? mail.references : mail.inReplyTo },
  })
  for (const [index, { name, mimeType, content }] of mail.attachments.entries()) {
    const fileId = `${id}-${index}`
    const [family] = mimeType.split('/')
    await writer.write('attachments', {
      ...{ id: fileId, messageId: id, name, mimeType, size: content.length, path: `files/${fileId}` },
      type: ['image', 'audio', 'video'].includes(family!) ? family : 'file',
      createdAt: at.toISOString(),
    })
    await writer.addFile(fileId, content)
  }
}

type Places = {
  mailbox: string
  threads: Iterable<MailThread>
  people: ReadonlyMap<string, string>
  agents: ReadonlySet<string>
}

/** What is only known at the end. History is closed. */
const writePlaces = async (
  writer: ArchiveWriter,
  { mailbox, threads, people, agents }: Places,
): Promise<void> => {
  await writer.write('channels', { id: mailbox, channel: 'email', name: mailbox, address: mailbox })
  for (const address of agents) await writer.write('agents', { id: address, email: address })
  const since = new Map<string, number>()
  for (const { id, address, subject, firstAt, lastAt } of threads) {
    since.set(address, Math.min(since.get(address) ?? firstAt, firstAt))
    await writer.write('conversations', {
      ...{ id, contactId: address, channelId: mailbox, channel: 'email', status: 'closed' },
      subject: subject || null,
      createdAt: new Date(firstAt).toISOString(),
      updatedAt: new Date(lastAt).toISOString(),
      email: { address, replyTo: null, subject: subject || null },
    })
  }
  for (const [address, name] of people)
    await writer.write('contacts', {
      ...{ id: address, name: name || address, email: address },
      identities: [{ kind: 'email', value: address, verified: false }],
      createdAt: new Date(since.get(address)!).toISOString(),
    })
}
