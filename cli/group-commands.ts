import { type Command, required, WORKSPACE } from './command.ts'

export const groupCommands: Command[] = [
  {
    words: 'group create',
    about: 'Create a contact group.',
    flags: {
      workspace: WORKSPACE,
      name: required('NAME'),
      description: { value: 'TEXT' },
      contact: { value: 'ID', isMultiple: true },
    },
    run: async ({ flag, flags: { description, contact } }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createContactGroup } = await import('../server/domain/contact-groups/contact-groups.ts')
      return withDatabase(config, async ({ ctxOf }) => ({
        group: await createContactGroup(await ctxOf(flag('workspace')), {
          name: flag('name'),
          ...(typeof description === 'string' && { description }),
          contactIds: [contact ?? []].flat(),
        }),
      }))
    },
  },
]
