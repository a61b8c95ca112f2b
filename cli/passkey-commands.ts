import { type Command, required } from './command.ts'

export const passkeyCommands: Command[] = [
  {
    words: 'passkeys reset',
    about: 'Remove all passkeys and recovery codes of a person, and end their sign-ins.',
    flags: { email: required('EMAIL') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { resetPasskeys } = await import('../server/domain/accounts/passkeys/remove-passkeys.ts')
      return withDatabase(config, (database) => resetPasskeys(database, { email: flag('email') }))
    },
  },
]
