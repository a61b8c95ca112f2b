import type { ChannelField } from '../channels/definition.ts'
import { CHANNELS_OFFERED, DEFINITIONS } from '../channels/definitions.ts'
import type { ChannelName } from '../channels/names.ts'
import { type Command, type Flag, required, toFlag, UsageError, WORKSPACE } from './command.ts'
import { withOutbound } from './with-outbound.ts'

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
    const { addChannelAccount } = await import('../server/domain/channel-accounts/add-channel-account.ts')
    return withDatabase(config, async ({ ctxOf }) => {
      const ctx = await ctxOf(flag('workspace'))
      return { channel: await addChannelAccount(ctx, { channel, fields }) }
    })
  },
})

const removeChannel: Command = {
  words: 'channel remove',
  about: 'Remove a channel. Its conversations are kept, or deleted for good.',
  flags: { workspace: WORKSPACE, channel: required('ID'), conversations: { value: 'keep|delete' } },
  run: async (given, settings) => {
    const { conversations = 'keep' } = given.flags
    if (conversations !== 'keep' && conversations !== 'delete')
      throw new UsageError('--conversations must be keep or delete')
    const channelId = given.flag('channel')
    const { removeChannel } = await import('../server/domain/channel-removals/remove-channel.ts')
    return withOutbound(given, settings(), async (ctx) => ({
      channel: { id: channelId },
      ...(await removeChannel(ctx, { channelId, conversations })),
    }))
  },
}

export const channelCommands: Command[] = [...CHANNELS_OFFERED.map(addChannel), removeChannel]
