import { type Command, required, UsageError, WORKSPACE } from './command.ts'

export const workspaceCommands: Command[] = [
  {
    words: 'workspace create',
    about: 'Create a workspace and its first admin.',
    flags: { name: required('NAME'), admin: required('EMAIL') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createWorkspace } = await import('../server/domain/agents/create-workspace.ts')
      return withDatabase(config, (database) =>
        createWorkspace(database, { name: flag('name'), admin: flag('admin') }),
      )
    },
  },
  {
    words: 'workspace upload-limit',
    about: 'Set the upload limit of a workspace, in GiB (default 10).',
    flags: { workspace: WORKSPACE, gib: required('NUMBER') },
    run: async ({ flag }, settings) => {
      const gib = Number(flag('gib'))
      if (!/^\d{1,6}$/.test(flag('gib')))
        throw new UsageError('--gib must be a whole number from 0 to 999999.')
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { setUploadQuota } = await import('../server/domain/workspaces/queries.ts')
      return withDatabase(config, async ({ ctxOf }) => setUploadQuota(await ctxOf(flag('workspace')), gib))
    },
  },
  {
    words: 'sign-in-link',
    about: 'Create a link that signs a person in to the console once, within 15 minutes.',
    flags: { email: required('EMAIL') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createSignInLink } = await import('../server/domain/accounts/create-sign-in-link.ts')
      return withDatabase(config, (database) =>
        createSignInLink({ ...database, publicUrl: config.publicUrl }, { email: flag('email') }),
      )
    },
  },
  {
    words: 'sign-in-unlink',
    about: 'Let a person sign in with another account of your identity provider.',
    flags: { email: required('EMAIL') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { unlinkOidc } = await import('../server/domain/accounts/oidc/unlink-oidc.ts')
      return withDatabase(config, (database) => unlinkOidc(database, { email: flag('email') }))
    },
  },
]
