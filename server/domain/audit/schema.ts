import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { Id, Moment, nullable } from '../schema.ts'

/** What is recorded. A new one also needs words in console/screens/settings/audit-words.ts. */
export const AUDIT_ACTIONS = [
  'sign_in.succeeded',
  'sign_in.failed',
  'sign_in.ended',
  'passkey.added',
  'passkey.removed',
  'passkey.refused',
  'passkey.reset',
  'recovery_codes.created',
  'recovery_codes.used',
  'member.added',
  'member.updated',
  'member.removed',
  'member.signed_out',
  'team.created',
  'team.updated',
  'team.removed',
  'answer_targets.updated',
  'role.created',
  'role.updated',
  'role.deleted',
  'token.created',
  'token.rotated',
  'token.revoked',
  'channel.added',
  'channel.updated',
  'channel.removed',
  'action.created',
  'action.updated',
  'action.deleted',
  'ai_agent.enabled',
  'ai_agent.disabled',
  'ai_provider.saved',
  'ai_provider.removed',
  'ai_guidance.published',
  'broadcast.started',
  'broadcast.paused',
  'broadcast.resumed',
  'broadcast.canceled',
  'broadcast.exported',
  'webhook.created',
  'webhook.updated',
  'webhook.rotated',
  'webhook.enabled',
  'webhook.paused',
  'webhook.disabled',
  'webhook.replayed',
  'webhook.deleted',
  'mcp_server.connected',
  'mcp_server.updated',
  'mcp_server.removed',
  'tool.enabled',
  'tool.updated',
  'tool.disabled',
  'flow.published',
  'export.created',
  'export.deleted',
  'import.completed',
  'import.undone',
  'contact.merged',
  'contact.unmerged',
  'contact.exported',
  'contact.erased',
  'contact.anonymised',
  'retention.updated',
  'reports.updated',
  'retention.applied',
  'mcp.tool_called',
] as const

const AuditActionEnum = Type.Enum([...AUDIT_ACTIONS], {
  title: 'AuditAction',
  description: 'Later versions add more.',
})
export type AuditAction = Static<typeof AuditActionEnum>

const ACTOR_TYPES = [
  'agent',
  'ai',
  'token',
  'operator',
  'automation',
  'customer',
  'system',
  'unknown',
] as const

const AuditEntry = Type.Object(
  {
    id: Id,
    createdAt: Moment,
    action: AuditActionEnum,
    actor: Type.Object(
      {
        type: Type.Enum([...ACTOR_TYPES]),
        id: nullable(Type.String()),
        name: nullable(Type.String({ description: 'As it is now.' })),
      },
      { description: '`operator` is whoever runs the server. `unknown` is somebody who was not signed in.' },
    ),
    target: nullable(
      Type.Object({
        type: Type.String(),
        id: nullable(Type.String()),
        name: nullable(Type.String({ description: 'As it was then.' })),
      }),
    ),
    address: nullable(Type.String({ description: 'The IP address of the call.' })),
    userAgent: nullable(Type.String()),
    requestId: nullable(Type.String({ description: 'The X-Request-Id of the call.' })),
    changes: Type.Record(
      Type.String(),
      Type.Object({ from: Type.Optional(Type.Unknown()), to: Type.Optional(Type.Unknown()) }),
      { description: 'What changed, by field. Never contains secrets.' },
    ),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditQuery = Type.Object({
  actor: Type.Optional(
    Type.String({
      maxLength: 100,
      description: '`agent:<agent id>`, `token:<token id>`, `operator` or `unknown`.',
    }),
  ),
  action: Type.Optional(AuditActionEnum),
  after: Type.Optional(Type.String({ format: 'date-time', description: 'From this time on.' })),
  before: Type.Optional(Type.String({ format: 'date-time', description: 'Before this time.' })),
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the previous page.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
})
export type AuditQuery = Static<typeof AuditQuery>

export const AuditLog = Type.Object(
  {
    entries: Type.Array(AuditEntry),
    nextCursor: nullable(Type.String({ description: 'null on the last page.' })),
  },
  {
    title: 'AuditLog',
    examples: [
      {
        entries: [
          {
            id: 'cmi8q2f5c0009r3t5y7u9i1op',
            createdAt: '2026-11-21T09:30:00.000Z',
            action: 'token.created',
            actor: { type: 'agent', id: 'cmi7z0p4d0000q2w4e6r8t0yu', name: 'Jonas' },
            target: { type: 'token', id: 'cmi8q2f5c0001b4n8s6w0z2yt', name: 'CRM sync' },
            address: '203.0.113.7',
            userAgent: 'Mozilla/5.0',
            requestId: 'rmi8q2f5c1',
            changes: { scopes: { to: ['full'] } },
          },
        ],
        nextCursor: null,
      },
    ],
  },
)
export type AuditLog = Static<typeof AuditLog>
