import { type Command, required, WORKSPACE } from './command.ts'

export const tagCommands: Command[] = [
  {
    words: 'tag create',
    about: 'Create a tag.',
    flags: { workspace: WORKSPACE, name: required('NAME'), color: required("'#rrggbb'") },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createTag } = await import('../server/domain/tags/tags.ts')
      return withDatabase(config, async ({ ctxOf }) => ({
        tag: await createTag(await ctxOf(flag('workspace')), { name: flag('name'), color: flag('color') }),
      }))
    },
  },
]
