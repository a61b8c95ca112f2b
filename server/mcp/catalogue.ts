// The tools, in the order in which they are listed: it never changes, because clients keep what they have read.
import type { Actor } from '../platform/ctx/actor.ts'
import { hasScope } from '../platform/ctx/scopes.ts'
import type { Tool } from './tool/tool.ts'
import { addNote } from './tools/add-note.ts'
import { draftReply } from './tools/draft-reply.ts'
import { findContacts } from './tools/find-contacts.ts'
import { findConversations } from './tools/find-conversations.ts'
import { listReference } from './tools/list-reference.ts'
import { previewBroadcast } from './tools/preview-broadcast.ts'
import { readContact } from './tools/read-contact.ts'
import { readConversation } from './tools/read-conversation.ts'
import { sendReply } from './tools/send-reply.ts'
import { updateContact } from './tools/update-contact.ts'
import { updateConversation } from './tools/update-conversation.ts'
import { whatsNew } from './tools/whats-new.ts'

export const TOOLS: readonly Tool[] = [
  findConversations,
  readConversation,
  findContacts,
  readContact,
  whatsNew,
  listReference,
  draftReply,
  sendReply,
  addNote,
  updateConversation,
  updateContact,
  previewBroadcast,
]

/** Whether the token may use the tool. What it may not use isn't listed. */
export const mayUse = (actor: Actor, { scopes, isNamedOnly }: Tool): boolean =>
  (scopes.length === 0 || scopes.some((scope) => hasScope(actor, scope))) &&
  !(isNamedOnly && actor.type === 'token' && actor.scopes === undefined)
