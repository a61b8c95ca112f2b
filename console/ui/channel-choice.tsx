import { CHANNELS, type ChannelName } from '../../channels/names.ts'
import { t } from '../words/t.ts'
import { channelName } from './channel-name.ts'
import { CheckGroup } from './check-group.tsx'

const OPTIONS = CHANNELS.map((value) => ({ value, label: channelName(value) }))

export const ChannelChoice = (props: {
  hint?: string
  name?: string
  chosen: readonly ChannelName[]
  onChange: (chosen: ChannelName[]) => void
}) => <CheckGroup label={t`Channels`} options={OPTIONS} {...props} />
