import { type Command, WORKSPACE } from './command.ts'

export const auditCommands: Command[] = [
  {
    words: 'audit list',
    about: 'List who changed what in a workspace and who signed in, newest first.',
    flags: {
      workspace: WORKSPACE,
      actor: { value: 'ACTOR' },
      action: { value: 'ACTION' },
      after: { value: 'TIME' },
      before: { value: 'TIME' },
      limit: { value: 'COUNT' },
      cursor: { value: 'CURSOR' },
    },
    run: async ({ flag, flags: { workspace: _, ...given } }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { listAuditLog } = await import('../server/domain/audit/list-audit-log.ts')
      const { readAuditQuery } = await import('../server/domain/audit/read-audit-query.ts')
      return withDatabase(config, async ({ ctxOf }) =>
        listAuditLog(await ctxOf(flag('workspace')), readAuditQuery(given)),
      )
    },
  },
]
