import type { NotificationKind } from '../../platform/db/tables.ts'
import type { ClaimedPush } from './push-queries.ts'
import { type Words, wordsIn } from './words.ts'

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
    ...(isMany ? wordsForMany : wordsFor)(wordsIn(push.language), push),
    tag: isMany ? `${workspaceId} ${kind}` : `${workspaceId} ${conversationId}`,
    path: isMany ? `/w/${workspaceId}/inbox` : `/w/${workspaceId}/inbox/${conversationId}`,
    conversationId,
    sentAt: createdAt,
  }
  return Buffer.byteLength(JSON.stringify(payload)) > BYTES_MAX ? { ...payload, body: '' } : payload
}

type Shown = { title: string; body: string }

const wordsFor = (words: Words, { kind, customerName, actorName, text, showText }: ClaimedPush): Shown => {
  const shown = showText === false ? '' : (text ?? '')
  switch (kind) {
    case 'assigned':
      return { title: customerName, body: words.assigned(actorName ?? words.automation) }
    case 'mentioned':
      return {
        title: words.mentioned(actorName ?? words.someone),
        body: shown || words.inConversation(customerName),
      }
    case 'message':
      return { title: customerName, body: shown || words.newMessage }
    case 'team':
      return { title: words.inTeam(customerName), body: shown || words.needsReply }
    case 'overdue':
      return { title: customerName, body: words.overdue }
    case 'unassigned':
      return { title: words.unassigned(customerName), body: shown || words.needsReply }
  }
}

const wordsForMany = (
  words: Words,
  { kind, actorName, conversationCount, workspaceName }: ClaimedPush,
): Shown => {
  const many =
    kind === 'team' ? words.manyInTeams : kind === 'overdue' ? words.manyOverdue : words.manyUnassigned
  return {
    title: workspaceName,
    body:
      kind === 'assigned'
        ? words.assignedMany(actorName ?? words.automation, conversationCount)
        : many(conversationCount),
  }
}
