import type { NotificationKind } from '../../platform/db/tables.ts'
import type { ClaimedPush } from './push-queries.ts'

/** What the console's service worker shows. `tag`: a later one of the same conversation replaces it. */
export type PushPayload = {
  id: string
  kind: NotificationKind
  title: string
  body: string
  tag: string
  path: string
  conversationId: string
  sentAt: string
}

/** Push services take 4,096 bytes, of which the encryption needs 103. */
const BYTES_MAX = 3_900

/** The least that tells a person what it is about. */
export const toPayload = (push: ClaimedPush): PushPayload => {
  const { notificationId, kind, workspaceId, conversationId, conversationCount, createdAt } = push
  const isMany = conversationCount > 1
  const payload = {
    id: notificationId,
    kind,
    ...(isMany ? wordsForMany(push) : wordsFor(push)),
    tag: isMany ? `${workspaceId} ${kind}` : `${workspaceId} ${conversationId}`,
    path: isMany ? `/w/${workspaceId}/inbox` : `/w/${workspaceId}/inbox/${conversationId}`,
    conversationId,
    sentAt: createdAt,
  }
  return Buffer.byteLength(JSON.stringify(payload)) > BYTES_MAX ? { ...payload, body: '' } : payload
}

type Words = { title: string; body: string }

const wordsFor = ({ kind, customerName, actorName, text, showText }: ClaimedPush): Words => {
  const shown = showText === false ? '' : (text ?? '')
  switch (kind) {
    case 'assigned':
      return { title: customerName, body: `${actorName ?? 'Automation'} assigned this conversation to you` }
    case 'mentioned':
      return {
        title: `${actorName ?? 'Someone'} mentioned you`,
        body: shown || `In ${customerName}’s conversation`,
      }
    case 'message':
      return { title: customerName, body: shown || 'New message' }
    case 'team':
      return { title: `${customerName} (your team)`, body: shown || 'A conversation needs a reply' }
    case 'overdue':
      return { title: customerName, body: 'The reply is overdue' }
    case 'unassigned':
      return { title: `${customerName} (unassigned)`, body: shown || 'A conversation needs a reply' }
  }
}

const MANY = {
  team: 'conversations are unassigned in your teams',
  overdue: 'replies are overdue',
  unassigned: 'conversations are unassigned',
}

const wordsForMany = ({ kind, actorName, conversationCount, workspaceName }: ClaimedPush): Words =>
  kind === 'assigned'
    ? {
        title: workspaceName,
        body: `${actorName ?? 'Automation'} assigned ${conversationCount} conversations to you`,
      }
    : {
        title: workspaceName,
        body: `${conversationCount} ${MANY[kind === 'team' || kind === 'overdue' ? kind : 'unassigned']}`,
      }
