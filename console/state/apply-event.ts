// What an event makes stale. Loaded with the first event, because the list is drawn without it.
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { patchConversation, touchConversation } from './conversations.ts'
import type { ServerEvent } from './event-stream.ts'
import { keys } from './query-keys.ts'
import { patchMessageStatus, refreshDeepEntry } from './timeline.ts'
import type { Presence } from './types.ts'

/** How long events are collected before refetching, depending on the cost. */
const SOON_MS = 60
const LATER_MS = 700

/** Whether tags were added or removed, which colleagues see as soon as a message. */
const changesTags = ({ type, data }: ServerEvent): boolean =>
  type === 'conversation.tagged' ||
  (type === 'contact.updated' && Array.isArray(data.changed) && data.changed.includes('tags'))

/** Events that move a conversation to the top of its lists, or out of them. */
const MOVES = /^(conversation\.(created|assigned|status|snoozed)|message\.created|note\.created)$/

/** Marks what an event makes stale. */
export const apply = (
  client: QueryClient,
  api: WorkspaceApi,
  refresh: (queryKey: QueryKey, waitMs: number) => void,
  event: ServerEvent,
): void => {
  const { type, conversationId, contactId, data } = event
  const w = api.workspaceId
  const shownMs = changesTags(event) ? SOON_MS : LATER_MS
  if (type === 'presence') {
    if (conversationId)
      client.setQueryData(keys.presence(w, conversationId), (data.agents ?? []) as Presence[])
    return
  }
  if (type === 'agent.chimed') {
    void import('./chime.ts').then(({ chime }) => chime())
    return
  }
  if (type === 'typing') {
    if (conversationId) client.setQueryData(keys.typing(w, conversationId), data.isTyping === true)
    return
  }
  if (type === 'message.status' && conversationId && data.status !== 'failed') {
    const { messageId, status } = data
    if (!patchMessageStatus(client, w, conversationId, String(messageId), String(status)))
      refresh(keys.timeline(w, conversationId), SOON_MS)
    refresh(keys.conversationLists(w), LATER_MS)
    return
  }
  if (type === 'conversation.unread' && conversationId) {
    patchConversation(client, w, conversationId, { unreadCount: Number(data.unreadCount) })
    refresh(keys.conversationLists(w), LATER_MS)
    refresh(keys.counts(w), LATER_MS)
    return
  }
  if (conversationId && /^(automation|flow_run)\./.test(type)) {
    refresh(keys.automation(w, conversationId), SOON_MS)
    // Each has a line in the thread.
    refresh(keys.timeline(w, conversationId), SOON_MS)
    if (contactId) refresh(keys.contact(w, contactId), LATER_MS)
  }
  // It may be one that was held.
  if (type === 'message.created' && client.getQueryData<unknown[]>(keys.outbox(w))?.length)
    refresh(keys.outbox(w), SOON_MS)
  // Each message may make a draft stale. The details say whether there may be one.
  if (conversationId && /^(reply_draft\.updated|message\.created)$/.test(type)) {
    refresh(keys.replyDrafts(w, conversationId), SOON_MS)
    refresh(keys.details(w, conversationId), SOON_MS)
  }
  if (conversationId && /^(message|note|conversation)\./.test(type)) {
    if (MOVES.test(type) && data.isBroadcast !== true) touchConversation(client, w, conversationId)
    refresh(keys.timeline(w, conversationId), SOON_MS)
    refresh(keys.details(w, conversationId), SOON_MS)
    if (/^message\.(updated|removed|status)$/.test(type))
      void refreshDeepEntry(client, api, conversationId, String(data.messageId ?? ''))
    refresh(keys.conversationLists(w), shownMs)
    refresh(keys.counts(w), LATER_MS)
  }
  if (type.startsWith('note.') && contactId) refresh(keys.contact(w, contactId), SOON_MS)
  if (type.startsWith('contact.')) {
    const id = contactId ?? String(data.contactId ?? '')
    if (id) refresh(['w', w, 'contact', id], SOON_MS)
    refresh(keys.contacts(w), LATER_MS)
    // A new one is in no conversation yet.
    if (type === 'contact.created') return
    refresh(keys.conversationLists(w), shownMs)
    if (conversationId) refresh(keys.details(w, conversationId), SOON_MS)
    else refresh(['w', w, 'conversation'], shownMs)
  }
  if (type.startsWith('conversation.') && contactId) {
    // The profile shows the number of open conversations.
    refresh(keys.contact(w, contactId), LATER_MS)
    refresh(keys.contactConversations(w, contactId), LATER_MS)
    refresh(keys.contacts(w), LATER_MS)
  }
  if (type.startsWith('agent.')) {
    refresh(keys.agents(w), SOON_MS)
    refresh(keys.setting(w, 'members'), SOON_MS)
    // The AI agent is one: it may have been stopped.
    refresh(keys.allReplyDrafts(w), SOON_MS)
  }
  if (type === 'team.updated') {
    refresh(keys.teams(w), SOON_MS)
    refresh(keys.setting(w, 'teams'), SOON_MS)
  }
  if (type.startsWith('broadcast.')) refresh(keys.broadcasts(w), SOON_MS)
  if (type.startsWith('flow_run.')) refresh(keys.flows(w), LATER_MS)
  if (type.startsWith('template.')) refresh(keys.templates(w), SOON_MS)
  if (type.startsWith('tag.')) refresh(keys.tags(w), SOON_MS)
  if (type.startsWith('group.') || type.startsWith('contact_group.')) refresh(keys.groups(w), SOON_MS)
  if (/^(channel|role|member|token|workspace)/.test(type)) refresh(keys.settings(w), SOON_MS)
  if (/^(role|member|agent|workspace)/.test(type)) refresh(keys.session, SOON_MS)
}
