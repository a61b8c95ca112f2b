import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'

/** Back to the channels, or to the list of channel types. */
export const BackLink = ({ to = 'channels' }: { to?: 'channels' | 'kinds' }) => (
  <Link to={to === 'channels' ? '/settings/channels' : '/settings/channels/add'} className="back-link">
    <ChevronLeft size={14} aria-hidden />
    {to === 'channels' ? 'Channels' : 'Channel types'}
  </Link>
)
