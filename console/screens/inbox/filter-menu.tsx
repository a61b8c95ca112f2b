import { CHANNELS } from '../../../channels/names.ts'
import type { ListFilter } from '../../state/conversations.ts'
import { channelIcon, channelName } from '../../ui/badge.tsx'
import { MenuChoice, MenuGroup, MenuLine } from '../../ui/menu.tsx'

export type FilterProps = Pick<ListFilter, 'channel' | 'unread'> & {
  onChange: (change: Pick<ListFilter, 'channel' | 'unread'>) => void
}

const FilterMenu = ({ channel, unread, onChange }: FilterProps) => (
  <>
    <MenuChoice isChosen={unread === true} onSelect={() => onChange({ unread: unread ? undefined : true })}>
      Unread only
    </MenuChoice>
    <MenuLine />
    <MenuGroup label="Channel">
      <MenuChoice isChosen={!channel} onSelect={() => onChange({ channel: undefined })}>
        All channels
      </MenuChoice>
      {CHANNELS.map((id) => (
        <MenuChoice
          key={id}
          icon={channelIcon(id)}
          isChosen={channel === id}
          onSelect={() => onChange({ channel: id })}
        >
          {channelName(id)}
        </MenuChoice>
      ))}
    </MenuGroup>
  </>
)
export default FilterMenu
