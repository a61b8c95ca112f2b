// What concerns neither a conversation nor a contact.
import Type from 'typebox'
import { Id, Moment, nullable } from '../schema.ts'
import type { ObjectKind, PublicType } from './public-type.ts'
import { EXAMPLE } from './schema.ts'

const { agentId, tagId } = EXAMPLE
const noteId = 'cmi8q2f5c0005x7h2d3z5e9yg'
const groupId = 'cmi8q2f5c0008n2m7g5j1l6mv'

/** Events about one thing that say nothing but its id. */
const aboutOne = <K extends string>(
  key: K,
  example: string,
  object: ObjectKind | null,
  description: string,
) => ({
  description,
  object,
  data: Type.Object({ [key]: Id } as Record<K, typeof Id>),
  example: { [key]: example },
})

const count = Type.Integer({ minimum: 0 })

const Progress = Type.Object({
  broadcastId: Id,
  status: Type.Enum(['sending', 'completed', 'failed']),
  totalRecipients: count,
  sentCount: count,
  failedCount: count,
  skippedCount: count,
})

const broadcast = (status: 'sending' | 'completed' | 'failed', counts: number[], description: string) => {
  const [totalRecipients, sentCount, failedCount, skippedCount] = counts
  const broadcastId = 'cmi8q2f5c0009n2m7k8n4p3rx'
  return {
    description,
    object: 'broadcast' as const,
    data: Progress,
    example: { broadcastId, status, totalRecipients, sentCount, failedCount, skippedCount },
  }
}

const template = (reason: string | null, description: string) => ({
  description,
  object: 'whatsappTemplate' as const,
  data: Type.Object({
    name: Type.String(),
    language: Type.String(),
    reason: nullable(Type.String({ description: 'WhatsApp’s own, if it gives one.' })),
  }),
  example: { name: 'order_ready', language: 'en_US', reason },
})

const channel = (description: string) => ({
  description,
  object: null,
  data: Type.Object({
    channelId: Id,
    code: Type.String({
      description: 'Why it doesn’t work, or didn’t: the provider’s code, or one of ours.',
    }),
  }),
  example: { channelId: 'cmi8q2f5c000an2m7q1s7t5uz', code: 'MAILBOX_UNREACHABLE' },
})

const endpoint = (reason: string, description: string) => ({
  description,
  object: null,
  data: Type.Object({ endpointId: Id, since: nullable(Moment), reason: Type.String() }),
  example: { endpointId: 'cmi8q2f5c000bn2m7u4v1w8xa', since: '2026-11-21T09:30:00.000Z', reason },
})

export const WORKSPACE_TYPES = {
  'note.created': aboutOne('noteId', noteId, 'note', 'An internal note was written about a contact.'),
  'note.updated': aboutOne('noteId', noteId, 'note', 'The text of an internal note changed.'),
  'note.deleted': aboutOne('noteId', noteId, null, 'An internal note was deleted.'),
  'agent.added': aboutOne('agentId', agentId, 'agent', 'Somebody became a member of the workspace.'),
  'agent.updated': aboutOne('agentId', agentId, 'agent', 'A member’s name, role or permissions changed.'),
  'agent.removed': aboutOne('agentId', agentId, null, 'A member was removed from the workspace.'),
  'tag.created': aboutOne('tagId', tagId, 'tag', 'A tag was created.'),
  'tag.updated': aboutOne('tagId', tagId, 'tag', 'A tag’s name or color changed.'),
  'tag.deleted': aboutOne('tagId', tagId, null, 'A tag was deleted, and removed from all contacts.'),
  'contact_group.created': {
    description: 'A contact group was created, with this many members.',
    object: null,
    data: Type.Object({ groupId: Id, added: count }),
    example: { groupId, added: 12 },
  },
  'contact_group.updated': {
    description: 'A contact group was renamed, or this many members were added and removed.',
    object: null,
    data: Type.Object({ groupId: Id, added: count, removed: count }),
    example: { groupId, added: 3, removed: 0 },
  },
  'contact_group.deleted': aboutOne(
    'groupId',
    groupId,
    null,
    'A contact group was deleted. Its contacts stay.',
  ),
  'broadcast.started': broadcast('sending', [200, 0, 0, 4], 'A broadcast was accepted and is being sent.'),
  'broadcast.progressed': broadcast(
    'sending',
    [200, 121, 2, 4],
    'A broadcast goes on. At most one in each five seconds since it started.',
  ),
  'broadcast.completed': broadcast('completed', [200, 197, 3, 4], 'A broadcast ended, and reached somebody.'),
  'broadcast.failed': broadcast('failed', [200, 0, 200, 4], 'A broadcast ended, and reached nobody.'),
  'template.approved': template(null, 'WhatsApp approved a template, or allows it again.'),
  'template.rejected': template('INVALID_FORMAT', 'WhatsApp rejected a template.'),
  'template.paused': template(null, 'WhatsApp paused a template.'),
  'channel.problem': channel('A channel doesn’t work, or for another reason than before.'),
  'channel.recovered': channel('A channel works again.'),
  'webhook_endpoint.failing': endpoint(
    'HTTP 503',
    'A webhook endpoint has been failing for some time. Never sent to that endpoint.',
  ),
  'webhook_endpoint.disabled': endpoint(
    'failing',
    'A webhook endpoint was disabled. Never sent to that endpoint.',
  ),
  'export.completed': aboutOne(
    'exportId',
    'cmi8q2f5c000cn2m7y7z0a1bc',
    null,
    'The files of an export are ready.',
  ),
  'import.completed': aboutOne(
    'importId',
    'cmi8q2f5c000dn2m7c3d5e7fg',
    null,
    'Contacts and conversations from elsewhere were added or changed, without an event for each.',
  ),
  ping: {
    description: 'A test of a webhook endpoint. Never in the feed.',
    object: null,
    data: Type.Object({}),
    example: {},
  },
} as const satisfies Record<string, PublicType>
