import { type Command, required, WORKSPACE } from './command.ts'

export const workspaceCommands: Command[] = [
  {
    words: 'workspace create',
    about: 'Create a workspace and its first admin.',
    flags: { name: required('NAME'), admin: required('EMAIL') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createWorkspace } = await import('../server/resources/workspaces/create-workspace.ts')
      return withDatabase(config, (database) =>
        createWorkspace(database, { name: flag('name'), admin: flag('admin') }),
      )
    },
  },
  {
    words: 'sign-in-link',
    about: 'Make a link that signs a person in to the console, once, within 15 minutes.',
    flags: { email: required('EMAIL') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createSignInLink } = await import('../server/resources/sessions/create-sign-in-link.ts')
      return withDatabase(config, (database) =>
        createSignInLink({ ...database, publicUrl: config.publicUrl }, { email: flag('email') }),
      )
    },
  },
  ...[true, false].map(
    (isEnabled): Command => ({
      words: isEnabled ? 'ai enable' : 'ai disable',
      about: isEnabled
        ? 'Switch the AI agent of a workspace on.'
        : 'Switch it off; its open conversations become unassigned.',
      flags: { workspace: WORKSPACE },
      run: async ({ flag }, settings) => {
        const config = settings()
        const { withDatabase } = await import('./open-database.ts')
        const { setAiAgent } = await import('../server/resources/agents/set-ai-agent.ts')
        return withDatabase(config, async ({ ctxOf }) =>
          setAiAgent(await ctxOf(flag('workspace')), { isEnabled }),
        )
      },
    }),
  ),
]
