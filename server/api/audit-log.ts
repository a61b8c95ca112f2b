import { listAuditLog } from '../domain/audit/list-audit-log.ts'
import { AuditLog, AuditQuery } from '../domain/audit/schema.ts'
import type { App } from '../platform/http/api.ts'

export const registerAuditLog = (app: App): void => {
  app.get(
    '/audit-log',
    {
      config: { scope: 'audit:read', permission: 'admin', reads: 'current replica' },
      schema: {
        operationId: 'listAuditLog',
        tags: ['Audit log'],
        summary: 'List the audit log',
        description:
          'Who changed what: tokens, roles, members, channels, actions, the AI agent, broadcasts and exports, and who signed in or failed to. Newest first. Entries are kept for 400 days.',
        querystring: AuditQuery,
        response: { 200: AuditLog },
      },
    },
    ({ ctx, query }) => listAuditLog(ctx, query),
  )
}
