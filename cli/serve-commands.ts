import { type Command, UsageError } from './command.ts'

const ROLES = ['all', 'api', 'worker'] as const

const isRole = (text: string): text is (typeof ROLES)[number] => (ROLES as readonly string[]).includes(text)

export const serveCommands: Command[] = [
  {
    words: 'serve',
    about: 'Serve until Ctrl-C or SIGTERM.',
    flags: { role: { value: ROLES.join('|') } },
    run: async ({ flags }, settings) => {
      const role = flags.role ?? 'all'
      if (typeof role !== 'string' || !isRole(role))
        throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`)
      const config = settings()
      const { serve } = await import('./serve.ts')
      await serve(config, { role })
    },
  },
  {
    words: 'migrate',
    about: 'Apply pending database migrations.',
    run: async (_, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      return withDatabase(config, async ({ applied }) => ({ applied }))
    },
  },
]
