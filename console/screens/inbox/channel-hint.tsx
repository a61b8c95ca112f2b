import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import type { ShownChannel } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { rich } from '../../words/t.ts'
import { useSetting } from '../settings/use-setting.ts'

/** Tells admins about channels that don't work, because customers there wait in vain. */
const ChannelHint = () => {
  const { data } = useSetting<{ channels: ShownChannel[] }>('channels', '/channels')
  const failing = data?.channels.filter(({ problem }) => problem) ?? []
  const [only] = failing
  if (!only) return null
  return (
    <Banner tone="warn" icon={TriangleAlert}>
      {failing.length === 1 ? (
        <Link to="/settings/channels/$channelId" params={{ channelId: only.id }} className="link">
          {rich`“${<bdi>{only.name}</bdi>}” isn’t working`}
        </Link>
      ) : (
        <Link to="/settings/channels" className="link">
          {rich`${failing.length} channels aren’t working`}
        </Link>
      )}
    </Banner>
  )
}
export default ChannelHint
