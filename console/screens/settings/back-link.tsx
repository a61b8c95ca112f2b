import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'

/** Up to the channels, or to the kinds there are. */
export const BackLink = ({ to = 'channels' }: { to?: 'channels' | 'kinds' }) => (
  <Link to={to === 'channels' ? '/settings/channels' : '/settings/channels/add'} className="back-link">
    <ChevronLeft size={14} aria-hidden />
    {to === 'channels' ? 'Channels' : 'Kinds of channel'}
  </Link>
)
