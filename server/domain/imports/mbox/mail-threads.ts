// Which conversation an email belongs to, by the rules of mailboxes: that of the emails that it refers to, if it is the
// same customer; a stranger has one of their own. Emails need not come in order.
import { hashOf } from '../import-queries.ts'

export type MailThread = {
  id: string
  address: string
  subject: string
  firstAt: number
  lastAt: number
  /** The latest millisecond that was given to a message, and how many have it. */
  usedAt: Set<number>
}

type Mail = {
  messageId: string
  inReplyTo: readonly string[]
  references: readonly string[]
  subject: string
}

export const makeMailThreads = () => {
  /** Hashes of Message-IDs → the first one of the thread. */
  const roots = new Map<string, string>()
  const threads = new Map<string, MailThread>()
  return {
    all: (): Iterable<MailThread> => threads.values(),
    /** False if it was there before. */
    isNew: (messageId: string): boolean => !roots.has(`seen ${hashOf(messageId)}`),
    /** The thread of an email with a customer, and the time of its message there: no two have the same. */
    place: (mail: Mail, address: string, at: Date): { thread: MailThread; at: Date } => {
      const own = hashOf(mail.messageId)
      // The nearest first. One that refers to itself, or to one that refers to it, is in one thread all the same.
      const ids = [...mail.inReplyTo, ...[...mail.references].reverse()].map(hashOf)
      const root = [own, ...ids].map((id) => roots.get(id)).find((found) => found !== undefined) ?? own
      for (const id of [own, ...ids]) if (!roots.has(id)) roots.set(id, root)
      roots.set(`seen ${own}`, root)
      const id = hashOf(`${root}\n${address}`)
      const thread = threads.get(id) ?? {
        ...{ id, address, subject: mail.subject, usedAt: new Set<number>() },
        ...{ firstAt: at.getTime(), lastAt: at.getTime() },
      }
      threads.set(id, thread)
      let ms = at.getTime()
      while (thread.usedAt.has(ms)) ms++
      thread.usedAt.add(ms)
      thread.firstAt = Math.min(thread.firstAt, ms)
      thread.lastAt = Math.max(thread.lastAt, ms)
      return { thread, at: new Date(ms) }
    },
  }
}
