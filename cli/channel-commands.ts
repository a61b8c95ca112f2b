import type { ChannelField } from '../channels/definition.ts'
import { CHANNELS_OFFERED, DEFINITIONS } from '../channels/definitions.ts'
import type { ChannelName } from '../channels/names.ts'
import { type Command, type Flag, toFlag, WORKSPACE } from './command.ts'

/** Whether a field of a group is required depends on the others, so the usage shows it as optional. */
const flagOf = ({ value, isOptional, group, type }: ChannelField): Flag => ({
  value,
  ...(!isOptional && !group && { isRequired: true }),
  ...(type === 'origins' && { isMultiple: true }),
})

const flagsOf = (channel: ChannelName): Record<string, Flag> =>
  Object.fromEntries(
    Object.entries(DEFINITIONS[channel].fields).map(([name, field]) => [
      toFlag(field.singular ?? name),
      flagOf(field),
    ]),
  )

const addChannel = (channel: ChannelName): Command => ({
  words: `channel add ${channel}`,
  about: DEFINITIONS[channel].command,
  flags: { workspace: WORKSPACE, ...flagsOf(channel) },
  run: async ({ flag, flags: { workspace: _, ...fields } }, settings) => {
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { findSecretKey } = await import('../server/process/secret-key.ts')
    const { makeSeal } = await import('../server/platform/seal.ts')
    const { addChannelAccount } = await import('../server/domain/channel-accounts/add-channel-account.ts')
    return withDatabase(config, async ({ ctxOf }) => {
      const ctx = await ctxOf(flag('workspace'))
      const seal = makeSeal(await findSecretKey(config))
      const deps = { seal, publicUrl: config.publicUrl }
      return { channel: await addChannelAccount({ ...ctx, ...deps }, { channel, fields }) }
    })
  },
})

export const channelCommands: Command[] = CHANNELS_OFFERED.map(addChannel)
