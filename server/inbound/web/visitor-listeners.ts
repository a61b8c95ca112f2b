// The open streams of visitors, with their indexes.
import { makeSetIndex } from '../../platform/http/set-index.ts'
import type { Follower } from '../../platform/http/stream-hub.ts'

export type Page = {
  workspaceId: string
  visitorId: string
  channelAccountId: string
  ip: string
  contactId: string | null
}
export type Listener = Follower<Page>

const contactKey = (workspaceId: string, contactId: string): string => `${workspaceId} ${contactId}`

export const makeListeners = () => {
  const byContact = makeSetIndex<Listener>()
  const byVisitor = makeSetIndex<Listener>()
  const byIp = makeSetIndex<Listener>()
  /** Visitors who have written nothing yet, by workspace. */
  const anonymous = makeSetIndex<Listener>()
  return {
    ofContact: (workspaceId: string, contactId: string) => byContact.of(contactKey(workspaceId, contactId)),
    ofVisitor: byVisitor.of,
    ofIp: byIp.of,
    anonymousOf: anonymous.of,
    add: (listener: Listener): void => {
      byVisitor.add(listener.visitorId, listener)
      byIp.add(listener.ip, listener)
      if (listener.contactId) byContact.add(contactKey(listener.workspaceId, listener.contactId), listener)
      else anonymous.add(listener.workspaceId, listener)
    },
    remove: (listener: Listener): void => {
      byVisitor.remove(listener.visitorId, listener)
      byIp.remove(listener.ip, listener)
      anonymous.remove(listener.workspaceId, listener)
      if (listener.contactId) byContact.remove(contactKey(listener.workspaceId, listener.contactId), listener)
    },
    /** A visitor has become a contact. */
    setContact: (listener: Listener, contactId: string): void => {
      // One who has left meanwhile is no longer in any index.
      if (!anonymous.of(listener.workspaceId).has(listener)) return
      listener.contactId = contactId
      anonymous.remove(listener.workspaceId, listener)
      byContact.add(contactKey(listener.workspaceId, contactId), listener)
    },
  }
}
